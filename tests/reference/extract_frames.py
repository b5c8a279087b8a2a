"""Writes each frame of a video as a PNG: python extract_frames.py VIDEO FOLDER"""

import pathlib
import shutil
import sys

import cv2


def main():
    video, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    capture = cv2.VideoCapture(video)
    count = 0
    while True:
        more, picture = capture.read()
        if not more:
            break
        if not cv2.imwrite(str(folder / f"{count:04}.png"), picture):
            raise SystemExit(f"cannot write to {folder}")
        count += 1
    if count == 0:
        raise SystemExit(f"{video}: no frame could be read")


if __name__ == "__main__":
    main()

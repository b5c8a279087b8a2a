"""Real pictures of any size from the demonstration's clip."""

import cv2


def frame(clip, index, size):
    """RGB, (H, W, 3) of uint8; `size` is (width, height)."""
    video = cv2.VideoCapture(str(clip))
    video.set(cv2.CAP_PROP_POS_FRAMES, index)
    read, picture = video.read()
    if not read:
        raise SystemExit(f"{clip} has no frame {index}")
    return cv2.cvtColor(cv2.resize(picture, size, interpolation=cv2.INTER_CUBIC), cv2.COLOR_BGR2RGB)


def write_ppm(path, picture):
    height, width = picture.shape[:2]
    path.write_bytes(f"P6\n{width} {height}\n255\n".encode() + picture.tobytes())

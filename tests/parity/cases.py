"""What is compared: networks with weights from a seed, thresholds at which sets are neither empty nor whole."""

import dataclasses

HD = (1280, 720)


@dataclasses.dataclass
class Case:
    name: str
    export: list  # arguments of tools/export/export.py
    reference: str  # module of references/
    family: str  # of the parity program
    options: dict  # for both
    size: tuple = HD  # of the picture
    two_pictures: bool = False


def _rf_detr(name, variant, family, options, *extra):
    options = {"max_detections": 300, "antialias": False, **options}
    return Case(name, ["rf-detr", "--variant", variant, *extra], "rf_detr", family, options)


def _yolo(architecture, options, *extra, name=None, size=HD):
    options = {"nms_threshold": 0.7, "max_detections": 300, "classes": 80, **options}
    name = name or architecture + ("-end-to-end" if extra else "")
    return Case(name, ["yolo", "--architecture", architecture, *extra], "yolo", "yolo", options, size)


def _depth(name, family, options, *extra):
    options = {"metric": family == "depth_metric", "input": [392, 392], **options}
    return Case(name, ["depth-anything", "--input", "392", "392", *extra], "depth_anything", family, options)


# Of a picture of HD: whole people, a part, one that sticks out on two sides, half pixels, a thin one.
BOXES = [
    [400, 120, 640.5, 700.25],
    [10.5, 20.25, 90.75, 200],
    [1200, 600, 1300, 800],
    [-30, -50, 100, 200],
    [640, 360, 642, 700],
]
POSE = {"classes": 1, "keypoints": 17}
END = {"end_to_end": True}
SOME_MASKS = {"score_threshold": 0.95, "max_detections": 100}

CASES = [
    _rf_detr("rfdetr-nano", "nano", "rfdetr", {"score_threshold": 0.985}),
    _rf_detr("rfdetr-nano-all", "nano", "rfdetr", {"score_threshold": 0.0}),
    _rf_detr("rfdetr-seg", "seg-nano", "rfdetr_seg", {"score_threshold": 0.97, "max_detections": 100}, "--tokens"),
    _rf_detr("rfdetr-seg-preview", "seg-preview", "rfdetr_seg", {"score_threshold": 0.98, "max_detections": 200}),
    _rf_detr(
        "rfdetr-keypoints-background-first",
        "keypoint-preview",
        "rfdetr_keypoints",
        {"score_threshold": 0.5, "max_detections": 100, "schema": [0, 17], "background_column": True},
        "--keypoint-schema",
        "0,17",
    ),
    _rf_detr(
        "rfdetr-keypoints",
        "keypoint-preview",
        "rfdetr_keypoints",
        {"score_threshold": 0.0, "max_detections": 1000, "schema": [17]},  # of 91 columns, one of which has points
    ),
    _yolo("yolov8n", {"score_threshold": 0.9}),
    _yolo("yolov9t", {"score_threshold": 0.9}),
    _yolo("yolo11n", {"score_threshold": 0.999, "nms_threshold": 0.45}),
    _yolo("yolo11n", {"score_threshold": 0.9, "class_agnostic": True}, name="yolo11n-agnostic"),
    _yolo("yolo11n", {"score_threshold": 0.5, "max_detections": 1000}, name="yolo11n-all-pass"),
    _yolo("yolo12n", {"score_threshold": 0.9}),
    _yolo("yolov8n-seg", SOME_MASKS),
    _yolo("yolo11n-seg", SOME_MASKS),
    # Padding of 14.5 prototype cells, and of 28.5.
    _yolo("yolo11n-seg", SOME_MASKS, name="yolo11n-seg-704x576", size=(704, 576)),
    _yolo("yolo11n-seg", SOME_MASKS, name="yolo11n-seg-333x517", size=(333, 517)),
    _yolo("yolov8n-pose", {"score_threshold": 0.997, **POSE}),
    _yolo("yolo11n-pose", {"score_threshold": 0.7, **POSE}),
    _yolo("yolov10n", {"score_threshold": 0.9, **END}, "--end-to-end"),
    _yolo("yolo26n", {"score_threshold": 0.9, **END}, "--end-to-end"),
    _yolo("yolo26n-seg", {"score_threshold": 0.9, "max_detections": 100, **END}, "--end-to-end"),
    _yolo("yolo26n-pose", {"score_threshold": 0.9, **POSE, **END}, "--end-to-end"),
    _depth("depth-metric", "depth_metric", {}, "--metric", "20"),
    _depth("depth-metric-hd", "depth_metric", {"map_size": list(HD)}, "--metric", "20"),
    _depth("depth-relative", "depth_relative", {"map_size": [640, 360]}),
    Case("osnet", ["osnet"], "osnet", "osnet", {"boxes": BOXES, "batch": 16}),
    Case(
        "xfeat",
        ["xfeat", "--dynamic"],
        "xfeat",
        "xfeat",
        {"threshold": 0.05, "max_keypoints": 2048, "min_similarity": 0.82},
        (650, 490),
        two_pictures=True,
    ),
]

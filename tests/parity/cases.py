"""What is compared: networks with weights from a seed, thresholds at which sets are neither empty nor whole, pictures."""

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


def _yolo(architecture, options, *extra):
    options = {"nms_threshold": 0.7, "max_detections": 300, "classes": 80, **options}
    name = architecture + ("-end-to-end" if extra else "")
    return Case(name, ["yolo", "--architecture", architecture, *extra], "yolo", "yolo", options)


def _depth(name, options, *extra):
    return Case(name, ["depth-anything", "--input", "392", "392", *extra], "depth_anything", name, options)


POSE = {"classes": 1, "keypoints": 17}
END = {"end_to_end": True}

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
    _yolo("yolov8n", {"score_threshold": 0.9}),
    _yolo("yolo11n", {"score_threshold": 0.9, "nms_threshold": 0.45}),
    _yolo("yolo11n", {"score_threshold": 0.9, "class_agnostic": True}),
    _yolo("yolov8n-seg", {"score_threshold": 0.95, "max_detections": 100}),
    _yolo("yolo11n-seg", {"score_threshold": 0.95, "max_detections": 100}),
    _yolo("yolov8n-pose", {"score_threshold": 0.5, **POSE}),
    _yolo("yolo11n-pose", {"score_threshold": 0.5, **POSE}),
    _yolo("yolov10n", {"score_threshold": 0.9, **END}, "--end-to-end"),
    _yolo("yolo26n", {"score_threshold": 0.9, **END}, "--end-to-end"),
    _yolo("yolo26n-seg", {"score_threshold": 0.9, "max_detections": 100, **END}, "--end-to-end"),
    _yolo("yolo26n-pose", {"score_threshold": 0.5, **POSE, **END}, "--end-to-end"),
    _depth("depth_metric", {"metric": True, "input": [392, 392]}, "--metric", "20"),
    _depth("depth_metric", {"metric": True, "input": [392, 392], "map_size": list(HD)}, "--metric", "20"),
    _depth("depth_relative", {"metric": False, "input": [392, 392], "map_size": [640, 360]}),
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

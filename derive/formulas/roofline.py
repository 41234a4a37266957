"""The roofline: ridge point and attainable compute."""

from derive.formula import formula

formula(
    "I_ridge",
    r"I_{\mathrm{ridge}}",
    "FLOP/byte",
    section="ridge",
    is_="P_peak / B_peak",
    name=("ridge point", "脊点"),
    reason=(
        "both roofs meet where bandwidth times intensity equals peak compute",
        "两条屋顶在“带宽 × 算术强度 = 峰值算力”处相交",
    ),
    reading=(
        "Below it memory bandwidth limits a kernel, above it compute does.",
        "算术强度低于脊点受带宽限制，高于脊点受算力限制。",
    ),
    sources=("williams2009",),
    example=({"P_peak": "312 TFLOP/s/device", "B_peak": "2039 GB/s/device"}, "153.016 FLOP/byte"),
)

"""Make the networks and reference values that the tests of internal/onnx compare with.

    pip install torch onnx onnxscript onnxruntime
    python python/onnx_fixtures.py internal/onnx/testdata

Networks are small and have random parameters. Outputs are onnxruntime's, gradients PyTorch's.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

ROWS = 1000  # with outputs
LEARNED = 40  # of those, with gradients


def numbers(count: int) -> np.ndarray:
    """Numbers in [-1, 1) that Go makes in the same way."""
    return ((np.arange(count, dtype=np.uint64) * 2654435761 % 2**32) / 2**31 - 1).astype(np.float32)


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 3, 5), nn.Conv2d(3, 4, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(64, 12), nn.Linear(12, 8), nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = torch.max_pool2d(torch.relu(self.conv2(x)), 2).flatten(1)
        return torch.log_softmax(self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x))))), -1)


class Block(nn.Module):
    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(out), nn.BatchNorm2d(out)
        self.down: nn.Module = nn.Identity()
        if stride != 1 or channels != out:
            self.down = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + self.down(x))


class ResNet18(nn.Module):
    """Of the form of ResNet-18, with 2 channels where that has 64."""

    def __init__(self, width: int = 2) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width)
        blocks, channels = [], width
        for stage in range(4):
            for k in range(2):
                out = width << stage
                blocks.append(Block(channels, out, 2 if stage > 0 and k == 0 else 1))
                channels = out
        self.blocks, self.fc = nn.Sequential(*blocks), nn.Linear(channels, 4)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.normal_(0, 0.1)
                module.running_var.uniform_(0.5, 1.5)
                nn.init.uniform_(module.weight, 0.5, 1.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.max_pool2d(torch.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        return self.fc(torch.nn.functional.adaptive_avg_pool2d(self.blocks(x), 1).flatten(1))


class Transformer(nn.Module):
    def __init__(self, tokens: int = 11, length: int = 6, width: int = 8) -> None:
        super().__init__()
        self.embedding, self.position = nn.Embedding(tokens, width), nn.Parameter(torch.randn(length, width) * 0.1)
        layer = nn.TransformerEncoderLayer(width, 2, 16, 0.1, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 3)
        for p in self.parameters():  # layers begin as copies of each other, which would be shared in the file
            nn.init.normal_(p, 1.0 if p.dim() == 1 else 0.0, 0.4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.encoder(self.embedding(x) + self.position)
        return torch.softmax(self.head(self.norm(y).mean(1)), -1)


def networks() -> dict[str, tuple[nn.Module, torch.Tensor]]:
    """The networks, with the rows that they are shown."""
    torch.manual_seed(1)
    mlp = nn.Sequential(nn.Linear(6, 9), nn.ELU(), nn.Dropout(0.2), nn.Linear(9, 7), nn.Tanh(), nn.Linear(7, 3))
    images = torch.from_numpy(numbers(ROWS * 784).reshape(ROWS, 1, 28, 28))
    colours = torch.from_numpy(numbers(ROWS * 3 * 32 * 32).reshape(ROWS, 3, 32, 32))
    tokens = torch.from_numpy(np.arange(ROWS * 6, dtype=np.uint64) * 2654435761 % 2**32 // 2**16 % 11).to(torch.int64)
    return {
        "mlp": (mlp, torch.from_numpy(numbers(ROWS * 6).reshape(ROWS, 6))),
        "lenet": (LeNet(), images),
        "resnet18": (ResNet18(), colours),
        "transformer": (Transformer(), tokens.reshape(ROWS, 6)),
    }


def text(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype="<f4").tobytes()).decode()


def outputs_of(model: bytes, x: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: x})[0]


def write_network(name: str, network: nn.Module, x: torch.Tensor, folder: Path, dynamo: bool) -> None:
    network.eval()
    path = folder / f"{name}.onnx"
    if dynamo:
        batch = torch.export.Dim("rows")
        # optimised, normalisation would be a part of convolutions
        torch.onnx.export(network, (x[:2],), path, dynamo=True, dynamic_shapes=({0: batch},), external_data=False,
                          verbose=False, optimize=name != "resnet18")
    else:
        torch.onnx.export(network, (x[:2],), path, dynamo=False, input_names=["x"], dynamic_axes={"x": {0: "rows"}})
    model = onnx.load(path)
    for node in model.graph.node:  # where they come from is no part of them
        node.doc_string = ""
        del node.metadata_props[:]
    for value in [*model.graph.value_info, *model.graph.input, *model.graph.output]:
        del value.metadata_props[:]
    onnx.save(model, path)
    out = network(x[:LEARNED])
    upstream = torch.from_numpy(numbers(out.numel()).reshape(out.shape))
    (out * upstream).sum().backward()
    gradients = {key: text(p.grad.numpy()) for key, p in network.named_parameters()}
    values = {key: text(p.detach().numpy()) for key, p in network.named_parameters()}
    reference = {"outputs": text(outputs_of(path.read_bytes(), x.numpy())), "gradients": gradients, "values": values}
    (folder / f"{name}.json").write_text(json.dumps(reference) + "\n")


def node(operator: str, inputs: list[str], outputs: list[str] | str = "y", **attributes: object) -> onnx.NodeProto:
    return helper.make_node(operator, inputs, [outputs] if isinstance(outputs, str) else outputs, **attributes)


def small(nodes: list[onnx.NodeProto], shape: list[int], tensors: dict[str, np.ndarray], opset: int) -> bytes:
    """A network of a few nodes, whose input is x and whose output is y."""
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", *shape])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(value, key) for key, value in tensors.items()],
        ),
        opset_imports=[helper.make_opsetid("", opset)],
        ir_version=8,
    )
    return model.SerializeToString()


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def floats(*shape: int, shift: int = 0) -> np.ndarray:
    size = int(np.prod(shape))
    return numbers(size + shift)[shift:].reshape(shape)


def cases() -> dict[str, tuple[list[onnx.NodeProto], list[int], dict[str, np.ndarray], int]]:
    """Networks of one operator or two: nodes, the shape of a row, tensors, and the version of the operators."""
    made = {}

    def case(name: str, nodes: list[onnx.NodeProto], shape: list[int], opset: int = 18, **tensors: np.ndarray) -> None:
        made[name] = (nodes, shape, tensors, opset)

    for name in ["Abs", "Asin", "Asinh", "Atan", "Atanh", "Acos", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "HardSwish",
                 "Identity", "Mish", "Neg", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus",
                 "Softsign", "Tan", "Tanh", "Celu", "Elu", "HardSigmoid", "LeakyRelu", "Selu", "ThresholdedRelu"]:
        case(name, [node(name, ["x"])], [5])
    for name in ["Sqrt", "Log", "Acosh"]:
        case(name, [node("Add", ["x", "c"], "z"), node(name, ["z"])], [5], c=np.float32(2.5))
    case("Elu alpha", [node("Elu", ["x"], alpha=0.4)], [5])
    case("Gelu", [node("Gelu", ["x"])], [5], 20)
    case("Gelu tanh", [node("Gelu", ["x"], approximate="tanh")], [5], 20)
    case("LeakyRelu alpha", [node("LeakyRelu", ["x"], alpha=0.2)], [5])
    for name in ["Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu"]:
        case(name, [node(name, ["x", "w"])], [2, 3], w=floats(3, shift=3))
    case("Add stretched", [node("Add", ["x", "w"])], [2, 1, 3], w=floats(4, 1))
    case("Mul stretched", [node("Mul", ["w", "x"])], [1, 3], w=floats(1, 2, 1, shift=4))
    case("Pow", [node("Pow", ["x", "w"])], [3], w=np.float32(3))
    case("Sum", [node("Sum", ["x", "w", "v"])], [3], w=floats(3), v=floats(1, shift=5))
    case("Mean", [node("Mean", ["x", "w", "x"])], [3], w=floats(3))
    case("Max of three", [node("Max", ["x", "w", "v"])], [3], w=floats(3), v=floats(3, shift=5))
    case("Where", [node("Greater", ["x", "c"], "g"), node("Where", ["g", "x", "w"])], [4], c=np.float32(0.1), w=floats(4))
    case("Not", [node("Less", ["x", "c"], "l"), node("Not", ["l"], "m"), node("Cast", ["m"], to=1)], [4], c=np.float32(0))
    case("Clip", [node("Clip", ["x", "lo", "hi"])], [4], lo=np.float32(-0.3), hi=np.float32(0.4))
    case("Clip 6", [node("Clip", ["x"], min=-0.3, max=0.4)], [4], 7)
    case("MatMul", [node("MatMul", ["x", "w"])], [4], w=floats(4, 3))
    case("MatMul stack", [node("MatMul", ["x", "w"])], [2, 4], w=floats(4, 3))
    case("MatMul own", [node("Transpose", ["x"], "t", perm=[0, 2, 1]), node("MatMul", ["x", "t"])], [3, 4])
    case("MatMul left", [node("MatMul", ["w", "x"])], [4, 2], w=floats(3, 4))
    case("MatMul vector", [node("MatMul", ["x", "w"])], [2, 4], w=floats(4))
    case("Gemm", [node("Gemm", ["x", "w", "c"], alpha=0.5, beta=2.0, transB=1)], [4], w=floats(3, 4), c=floats(3))
    case("Gemm plain", [node("Gemm", ["x", "w"])], [4], w=floats(4, 3))
    case("Gemm turned", [node("Transpose", ["x"], "t"), node("Gemm", ["t", "w", "c"], transA=1)], [4], w=floats(4, 3),
         c=floats(1, shift=2))
    w = floats(4, 2, 3, 3)
    case("Conv", [node("Conv", ["x", "w", "b"], pads=[1, 0, 2, 1], strides=[2, 1])], [2, 7, 6], w=w, b=floats(4))
    case("Conv dilated", [node("Conv", ["x", "w"], dilations=[2, 1], pads=[2, 2, 2, 2])], [2, 7, 6], w=w)
    case("Conv groups", [node("Conv", ["x", "w", "b"], group=2)], [4, 5, 5], w=w, b=floats(4, shift=7))
    case("Conv same", [node("Conv", ["x", "w"], auto_pad="SAME_UPPER", strides=[2, 2])], [2, 6, 7], w=w)
    case("Conv lower", [node("Conv", ["x", "w"], auto_pad="SAME_LOWER")], [2, 6, 7], w=floats(3, 2, 2, 2))
    case("Conv 1", [node("Conv", ["x", "w"], strides=[2], pads=[1, 2])], [2, 9], w=floats(3, 2, 4))
    case("MaxPool", [node("MaxPool", ["x"], kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])], [2, 7, 6])
    case("MaxPool ceil", [node("MaxPool", ["x"], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)], [2, 6, 8])
    case("MaxPool 1", [node("MaxPool", ["x"], kernel_shape=[2], strides=[2], dilations=[2])], [2, 9])
    case("AveragePool", [node("AveragePool", ["x"], kernel_shape=[3, 3], strides=[2, 1], pads=[1, 1, 1, 1])], [2, 6, 5])
    case("AveragePool edges", [node("AveragePool", ["x"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)],
         [2, 5, 5])
    case("GlobalAveragePool", [node("GlobalAveragePool", ["x"])], [3, 4, 2])
    case("GlobalMaxPool", [node("GlobalMaxPool", ["x"])], [3, 4, 2])
    for name in ["Softmax", "LogSoftmax"]:
        case(f"{name} 1", [node(name, ["x"], "z", axis=1), node("Identity", ["z"])], [3, 4])
        case(f"{name} 11", [node(name, ["x"], "z", axis=1), node("Identity", ["z"])], [3, 4], 11)
        case(f"{name} last", [node(name, ["x"], "z"), node("Identity", ["z"])], [3, 4])
    channels = {"s": floats(3), "b": floats(3, shift=4)}
    case("BatchNormalization", [node("BatchNormalization", ["x", "s", "b", "m", "v"])], [3, 4], **channels,
         m=floats(3, shift=8), v=np.abs(floats(3, shift=12)))
    case("InstanceNormalization", [node("InstanceNormalization", ["x", "s", "b"])], [3, 4, 2], **channels)
    case("LayerNormalization", [node("LayerNormalization", ["x", "s", "b"])], [2, 3], **channels)
    case("LayerNormalization two", [node("LayerNormalization", ["x", "s"], axis=1)], [2, 3], s=floats(2, 3))
    case("GroupNormalization", [node("GroupNormalization", ["x", "s", "b"], num_groups=2)], [6, 4], 21, s=floats(6),
         b=floats(6, shift=3))
    for name in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare"]:
        case(name, [node(name, ["x", "a"])], [3, 4], a=ints(-1))
    case("ReduceMean attribute", [node("ReduceMean", ["x"], axes=[1, 3], keepdims=0)], [3, 4, 2], 13)
    case("Reshape", [node("Reshape", ["x", "s"])], [3, 4], s=ints(0, 2, -1))
    case("Flatten", [node("Flatten", ["x"])], [3, 4])
    case("Transpose", [node("Transpose", ["x"], perm=[0, 3, 1, 2])], [3, 4, 2])
    case("Squeeze", [node("Squeeze", ["x", "a"])], [1, 4, 1], a=ints(1, -1))
    case("Unsqueeze", [node("Unsqueeze", ["x", "a"])], [3], a=ints(-1, 1))
    case("Unsqueeze 11", [node("Unsqueeze", ["x"], axes=[0, 3])], [3], 11)
    made["Unsqueeze 11"] = ([node("Unsqueeze", ["x"], axes=[1, 3])], [3], {}, 11)
    case("Concat", [node("Concat", ["x", "t", "x"], axis=-1), ], [2, 3])
    made["Concat"] = ([node("Neg", ["x"], "t"), node("Concat", ["x", "t", "x"], axis=-1)], [2, 3], {}, 18)
    case("Split", [node("Split", ["x", "p"], ["a", "b"], axis=1), node("Sub", ["b", "a"])], [5], p=ints(1, 4))
    case("Split even", [node("Split", ["x"], ["a", "b"], axis=1, num_outputs=2), node("Concat", ["b", "a"], axis=1)], [5])
    case("Slice", [node("Slice", ["x", "s", "e", "a", "t"])], [5, 4], s=ints(-1, 1), e=ints(-9, 9), a=ints(1, 2), t=ints(-2, 2))
    case("Slice 9", [node("Slice", ["x"], starts=[1], ends=[-1], axes=[1])], [5], 9)
    case("Gather", [node("Gather", ["x", "i"], axis=1)], [5, 2], i=np.array([[0, -1], [2, 2]]))
    case("GatherElements", [node("Expand", ["i", "s"], "j"), node("GatherElements", ["x", "j"], axis=1)], [4],
         i=np.array([[3, 0]]), s=ints(1, 2))
    del made["GatherElements"]  # whose indices would need the number of rows
    case("Pad", [node("Pad", ["x", "p", "v"])], [3, 2], p=ints(0, 1, 0, 0, 2, -1), v=np.float32(0.5))
    case("Pad reflect", [node("Pad", ["x", "p"], mode="reflect")], [4], p=ints(0, 2, 0, 3))
    case("Pad edge", [node("Pad", ["x", "p"], mode="edge")], [4], p=ints(0, 2, 0, 3))
    case("Expand", [node("Unsqueeze", ["x", "a"], "u"), node("Expand", ["u", "s"])], [3], a=ints(1), s=ints(1, 2, 3))
    case("Tile", [node("Tile", ["x", "r"])], [3, 2], r=ints(1, 2, 2))
    case("Trilu", [node("Trilu", ["x", "k"], upper=0)], [3, 4], k=np.int64(1))
    case("Shape", [node("Shape", ["x"], "s", start=1), node("Cast", ["s"], "f", to=1), node("Mul", ["x", "f"])], [3])
    case("ConstantOfShape", [node("Shape", ["x"], "s"), node("ConstantOfShape", ["s"], "z",
         value=numpy_helper.from_array(np.array([2], dtype=np.float32))), node("Add", ["x", "z"])], [3])
    case("Range", [node("Range", ["a", "b", "c"], "r"), node("Mul", ["x", "r"])], [4], a=np.float32(1), b=np.float32(3),
         c=np.float32(0.5))
    case("OneHot", [node("ArgMax", ["x"], "i", axis=1, keepdims=0), node("OneHot", ["i", "d", "v"], "h"),
         node("Mul", ["h", "x"])], [4], d=np.int64(4), v=np.array([0.5, 2], dtype=np.float32))
    case("Constant", [node("Constant", [], "c", value_floats=[0.5, 2.0, -1.0]), node("Mul", ["x", "c"])], [3])
    case("Dropout", [node("Dropout", ["x"])], [3], 13)
    return made


def write_cases(folder: Path) -> None:
    listed = []
    for name, (nodes, shape, tensors, opset) in cases().items():
        model = small(nodes, shape, tensors, opset)
        x = numbers(3 * int(np.prod(shape))).reshape(3, *shape)
        if name == "Acosh":
            x = np.abs(x)
        listed.append({"name": name, "model": base64.b64encode(model).decode(), "width": int(np.prod(shape)),
                       "outputs": text(outputs_of(model, x))})
    lines = ",\n".join(json.dumps(one) for one in listed)
    (folder / "operators.json").write_text(f"[\n{lines}\n]\n")
    strange = [node("Hardmax", ["x"], "a", name="pick"), node("Einsum", ["a"], "b", equation="ij->ij", name="sums"),
               node("Relu", ["b"], "c"), node("Hardmax", ["c"], name="again")]
    (folder / "unsupported.onnx").write_bytes(small(strange, [6], {}, 18))


def write_safetensors(tensors: dict[str, np.ndarray], path: Path) -> None:
    """Write tensors as the package safetensors does for PyTorch."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, array in tensors.items():
        values = array.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_cases(folder)
    for name, (network, x) in networks().items():
        write_network(name, network, x, folder, dynamo=True)
    network, x = networks()["lenet"]
    write_network("lenet-script", network, x, folder, dynamo=False)
    write_safetensors({name: t.numpy() for name, t in network.state_dict().items()}, folder / "lenet.safetensors")


if __name__ == "__main__":
    main()

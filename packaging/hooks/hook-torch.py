"""Collect torch without its tests, headers, compilers and exporters.

Replaces the hook that comes with PyInstaller, which collects everything.
"""

from pathlib import Path

from PyInstaller.utils.hooks import (
    PY_DYLIB_PATTERNS,
    collect_dynamic_libs,
    collect_submodules,
    copy_metadata,
    get_package_paths,
)

# torch reads its own source while it is imported.
module_collection_mode = "pyz+py"
datas = copy_metadata("torch")
manager = Path(get_package_paths("torch")[1]) / "bin" / "torch_shm_manager"
if manager.exists():  # looked for while torch is imported; there is none on Windows
    datas.append((str(manager), "torch/bin"))
binaries = [
    (file, place)
    for file, place in collect_dynamic_libs("torch", search_patterns=[*PY_DYLIB_PATTERNS, "*.so.*"])
    if not any(word in file for word in ("/torch/test/", "jitbackend_test", "torchbind_test"))
]
# Imported by name, from C++ or lazily, so that PyInstaller does not find them.
hiddenimports = [
    "torch._C",
    *collect_submodules("torch._dynamo"),
    "torch._inductor.config",
    "torch.distributed.fsdp",
    "torch.distributed.tensor",
    "torch.optim",
    "torch.utils.checkpoint",
]
# The symlinks would be in a folder where torch's libraries do not find each other.
bindepend_symlink_suppression = ["**/torch/lib/*.so*"]

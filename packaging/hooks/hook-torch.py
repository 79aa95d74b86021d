"""torch as far as SciRead needs it: not its own tests, headers, compilers and exporters.

Takes the place of the hook that comes with PyInstaller, which takes in everything.
"""

from pathlib import Path

from PyInstaller.utils.hooks import (
    PY_DYLIB_PATTERNS,
    collect_dynamic_libs,
    collect_submodules,
    copy_metadata,
    get_package_paths,
)

# It reads its own source while it is imported.
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
# Imported by name, from C++ or where they are first needed.
hiddenimports = [
    "torch._C",
    *collect_submodules("torch._dynamo"),
    "torch._inductor.config",
    "torch.distributed.fsdp",
    "torch.distributed.tensor",
    "torch.optim",
    "torch.utils.checkpoint",
]
# Else links to its libraries are laid where torch does not look for others beside them.
bindepend_symlink_suppression = ["**/torch/lib/*.so*"]

"""Basic blocks of the measured object: where they are, what they cost, how often they ran.

Three sources meet here. The BB address map, which clang writes beside the code, says where the linked
program's blocks are and how often LLVM expects them to run. llvm-mca says what a block costs. QEMU's
counting plugin (``native/count``) says what was executed.
"""

from harness.basic_blocks.analyse import analyse, generate_variants
from harness.basic_blocks.code import Block, Code
from harness.basic_blocks.counts import Counts
from harness.basic_blocks.profile import Profile, profile

__all__ = ["Block", "Code", "Counts", "Profile", "analyse", "generate_variants", "profile"]

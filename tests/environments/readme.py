# The script of CompilerGym's README with its import line changed, and nothing else.
import harness.compiler_gym as compiler_gym  # imports the CompilerGym environments

env = compiler_gym.make(  # creates a new environment (same as gym.make)
    "llvm-v0",  # selects the compiler to use
    benchmark="cbench-v1/qsort",  # selects the program to compile
    observation_space="Autophase",  # selects the observation space
    reward_space="IrInstructionCountOz",  # selects the optimization target
)
env.reset()  # starts a new compilation session
env.render()  # prints the IR of the program
env.step(env.action_space.sample())  # applies a random optimization, updates state/reward/actions
env.close()  # closes the environment, freeing resources

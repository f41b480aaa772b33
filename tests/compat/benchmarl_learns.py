"""BenchMARL: IPPO with shared parameters and action masks on the parallel environment, as a custom task."""

import tempfile

from benchmarl.algorithms import IppoConfig
from benchmarl.environments.common import Task
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models import MlpConfig
from torchrl.envs import PettingZooWrapper

from warlight_env import warlight_v0


class WarlightClass(PettingZooClass):
    """Warlight as a class of tasks: the configuration contains the arguments of the environment."""

    def get_env_fun(self, num_envs, continuous_actions, seed, device):
        arguments = dict(self.config)
        return lambda: PettingZooWrapper(
            warlight_v0.parallel_env(**arguments), use_mask=True, categorical_actions=True, seed=seed, device=device,
            return_state=False, done_on_any=True,
        )  # fmt: skip

    def supports_discrete_actions(self):
        return True

    def has_render(self, env):
        return False

    @staticmethod
    def env_name():
        return "warlight"


class WarlightTask(Task):
    """The tasks of Warlight."""

    SMALL = None

    @staticmethod
    def associated_class():
        return WarlightClass


task = WarlightTask.SMALL.get_task({
    "map": "small", "action": "strategies", "observation": "flat", "picking": "random", "max_cycles": 50,
})  # fmt: skip
settings = ExperimentConfig.get_from_yaml()
settings.on_policy_collected_frames_per_batch = settings.on_policy_minibatch_size = 128
settings.on_policy_n_envs_per_worker, settings.on_policy_n_minibatch_iters = 2, 2
settings.max_n_iters, settings.max_n_frames = 2, None
settings.evaluation, settings.loggers, settings.render = False, [], False
with tempfile.TemporaryDirectory() as folder:
    settings.save_folder = folder
    experiment = Experiment(
        task=task, algorithm_config=IppoConfig.get_from_yaml(), model_config=MlpConfig.get_from_yaml(),
        critic_model_config=MlpConfig.get_from_yaml(), seed=1, config=settings,
    )  # fmt: skip
    experiment.run()
print("passed")

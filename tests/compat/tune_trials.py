"""Ray Tune: two trials of several games each."""

from ray import tune

from warlight_env.envs import WarlightEnv


def trial(config):
    env = WarlightEnv(map="small", action="strategies", opponent="random")
    total = 0.0
    for seed in range(5):
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, terminated, truncated, _ = env.step(min(config["way"], env.action_space.n - 1))
            total, over = total + reward, terminated or truncated
    return {"total": total}


if __name__ == "__main__":
    results = tune.Tuner(trial, param_space={"way": tune.grid_search([0, 4])}).fit()
    assert len(results) == 2 and not results.errors
    print("passed")

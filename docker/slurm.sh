#!/bin/bash
# A tournament on four nodes of Slurm (not tested): sbatch docker/slurm.sh; submit it again to continue.
#SBATCH --nodes=4 --ntasks-per-node=1 --cpus-per-task=32 --time=08:00:00
source ~/dlgo/.venv/bin/activate
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun --nodes=1 --ntasks=1 -w "$head" ray start --head --port 6379 --num-cpus 31 --block &
sleep 20
srun --nodes=3 --ntasks=3 --exclude="$head" ray start --address "$head:6379" --num-cpus 32 --block &
sleep 20
dlgo tournament plan.toml --ledger "$SLURM_SUBMIT_DIR/games.sqlite" --cluster "$head:6379"

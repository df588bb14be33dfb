# SPDX-License-Identifier: Apache-2.0
"""What several processes do together; one process is told so."""

from __future__ import annotations

from mindspore.nn.cell import Cell


class _SeveralProcesses(Cell):
    def construct(self, *_):
        raise RuntimeError(
            f"For '{self.cls_name}', several processes are needed, but the training runs in one."
        )


class AdaSum(_SeveralProcesses):
    """Adaptive summation of the steps of several processes.

    Args:
        rank (int): Number of this process.
        device_number (int): Processes of one machine.
        group_number (int): Number of groups.
        parameter_tuple (ParameterTuple): The parameters.
    """

    def __init__(self, rank, device_number, group_number, parameter_tuple):
        super().__init__(auto_prefix=False)
        self.rank, self.device_number = rank, device_number
        self.group_number, self.parameter_tuple = group_number, parameter_tuple


class DimReduce(_SeveralProcesses):
    """Training in the space of a few directions that earlier steps took.

    Args:
        network (Cell): The network.
        optimizer (Union[Cell]): The optimizer.
        weight (Union[Parameter, list, tuple]): The parameters.
        pca_mat_local (numpy.ndarray): This process's part of the directions.
        n_components (int): Number of directions.
        rho (float): Factor of the line search.
        gamma (float): Share of the old step.
        alpha (float): Length of the step.
        sigma (float): Demand of the line search.
        rank (int): Number of this process.
        rank_size (int): Number of processes.
    """

    def __init__(
        self,
        network,
        optimizer,
        weight,
        pca_mat_local,
        n_components,
        rho,
        gamma,
        alpha,
        sigma,
        rank,
        rank_size,
    ):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weight = network, optimizer, weight
        self.pca_mat_local, self.n_components = pca_mat_local, n_components
        self.rho, self.gamma, self.alpha, self.sigma = rho, gamma, alpha, sigma
        self.rank, self.rank_size = rank, rank_size

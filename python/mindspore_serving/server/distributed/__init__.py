# SPDX-License-Identifier: Apache-2.0
"""Servables whose model is spread over several devices. They need the collective library, which is not there
yet: arguments are checked, and what would have to communicate says so."""

from mindspore_serving._arguments import as_int_tuple, as_str_tuple, check_bool, check_int, check_str

__all__ = ["start_servable", "startup_agents", "declare_servable"]

_MISSING = (
    "distributed servables are not supported: parts of one model cannot talk to each other here. "
    "Serve the whole model with register.declare_model and server.start_servables"
)


def declare_servable(
    rank_size, stage_size, with_batch_dim=True, without_batch_dim_inputs=None, enable_pipeline_infer=False
):
    """Declares, in servable_config.py, a model that is spread over devices.

    Args:
        rank_size (int): How many devices.
        stage_size (int): How many stages of a pipeline.
        with_batch_dim (bool, optional): The first dimension is the batch. Default: ``True``.
        without_batch_dim_inputs (Union[int, list[int], tuple[int]], optional): Inputs without it. Default:
            ``None``.
        enable_pipeline_infer (bool, optional): Several instances at a time, one per stage. Default:
            ``False``.

    Raises:
        RuntimeError: A parameter is wrong; otherwise: this is not supported yet.
    """
    check_int("rank_size", rank_size, 1)
    check_int("stage_size", stage_size, 1)
    check_bool("with_batch_dim", with_batch_dim)
    check_bool("enable_pipeline_infer", enable_pipeline_infer)
    if without_batch_dim_inputs is not None:
        as_int_tuple("without_batch_dim_inputs", without_batch_dim_inputs, 0)
    raise RuntimeError(_MISSING)


def start_servable(
    servable_directory,
    servable_name,
    rank_table_json_file,
    version_number=1,
    distributed_address="0.0.0.0:6200",
    wait_agents_time_in_seconds=0,
):
    """Starts a servable that is spread over devices.

    Args:
        servable_directory (str): Folder that has the servable's.
        servable_name (str): Name of the servable.
        rank_table_json_file (str): File that says which device has which rank.
        version_number (int, optional): Version of the servable. Default: ``1``.
        distributed_address (str, optional): Where agents register. Default: ``"0.0.0.0:6200"``.
        wait_agents_time_in_seconds (int, optional): How long to wait for them; ``0``: for ever. Default:
            ``0``.

    Raises:
        RuntimeError: A parameter is wrong; otherwise: this is not supported yet.
    """
    check_str("servable_directory", servable_directory)
    check_str("servable_name", servable_name)
    check_str("rank_table_json_file", rank_table_json_file)
    check_int("version_number", version_number, 1)
    check_str("distributed_address", distributed_address)
    check_int("wait_agents_time_in_seconds", wait_agents_time_in_seconds, 0)
    raise RuntimeError(_MISSING)


def startup_agents(
    distributed_address,
    model_files,
    group_config_files=None,
    agent_start_port=7000,
    agent_ip=None,
    rank_start=None,
    dec_key=None,
    dec_mode="AES-GCM",
):
    """Starts the processes that hold the parts of a model.

    Args:
        distributed_address (str): Where they register.
        model_files (Union[str, list[str], tuple[str]]): One per local rank.
        group_config_files (Union[str, list[str], tuple[str]], optional): One per local rank. Default:
            ``None``.
        agent_start_port (int, optional): The first port. Default: ``7000``.
        agent_ip (str, optional): Address of this machine; with `rank_start` or not at all. Default: ``None``.
        rank_start (int, optional): The first rank of this machine. Default: ``None``.
        dec_key (bytes, optional): Key of encrypted models. Default: ``None``.
        dec_mode (str, optional): "AES-GCM" or "AES-CBC". Default: ``'AES-GCM'``.

    Raises:
        RuntimeError: A parameter is wrong; otherwise: this is not supported yet.
    """
    check_str("distributed_address", distributed_address)
    files = as_str_tuple("model_files", model_files)
    if group_config_files is not None and len(as_str_tuple("group_config_files", group_config_files)) != len(
        files
    ):
        raise RuntimeError(
            f"Parameter 'model_files' has {len(files)} files, but 'group_config_files' "
            f"{len(as_str_tuple('group_config_files', group_config_files))}"
        )
    check_int("agent_start_port", agent_start_port, 1, 65535)
    if (agent_ip is None) != (rank_start is None):
        raise RuntimeError("Parameter 'agent_ip' and parameter 'rank_start' should be given both or neither")
    raise RuntimeError(_MISSING)

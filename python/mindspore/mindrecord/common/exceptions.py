# SPDX-License-Identifier: Apache-2.0
"""Errors of MindRecord. The text of one is `[Name]: what happened`."""

__all__ = ["MindRecordException"]


class MindRecordException(Exception):
    """Base of MindRecord's own errors.

    Attributes:
        error_code (int): Number of the class, in the form that logs of MindSpore have it.
        error_msg (str): What happened.
    """

    number = 0
    text = "Unknown error."

    def __init__(self, error_msg: str | None = None):
        super().__init__()
        self.error_msg = self.text if error_msg is None else error_msg
        self.error_code = (1 << 30) | (1 << 28) | (42 << 17) | ((self.number // 100 + 1) << 12) | self.number

    def __str__(self):
        return f"[{type(self).__name__}]: {self.error_msg}"

    def __reduce__(self):  # the argument of a subclass is not the message
        return _restore, (type(self), self.error_msg)


def _restore(kind, message):
    error = kind.__new__(kind)
    MindRecordException.__init__(error, message)
    return error


def _error(name, number, text, *arguments):
    """A class whose constructor takes these arguments and puts them into the text."""

    def construct(self, *values, **named):
        given = dict(zip(arguments, values, strict=False)) | named
        missing = [argument for argument in arguments if argument not in given]
        if len(values) > len(arguments) or missing or set(named) - set(arguments):
            raise TypeError(f"{name} takes {list(arguments)}, but got {list(values) + list(named)}")
        MindRecordException.__init__(self, text.format(**given))

    kind = type(
        name,
        (MindRecordException,),
        {
            "__init__": construct,
            "__doc__": text.format(**{argument: f"<{argument}>" for argument in arguments}),
            "__module__": __name__,
            "number": number,
            "text": text,
        },
    )
    globals()[name] = kind
    __all__.append(name)


_error("UnknownError", 0, "Unknown error.")
_error("ParamTypeError", 1, "Invalid parameter type. '{param}' expect {expected} type.", "param", "expected")
_error("ParamValueError", 2, "Invalid parameter value. {error_detail}", "error_detail")
_error("ParamMissError", 3, "Param missing. '{param}' is required.", "param")
_error("PathNotExistsError", 4, "Invalid path. {path} not exists.", "path")
_error("DbConnectionError", 5, "Db connection is error. Detail: {error_detail}", "error_detail")
for _name, _number, _text in (
    ("MRMOpenError", 100, "MindRecord File could not open successfully."),
    ("MRMOpenForAppendError", 101, "MindRecord File could not open successfully for append."),
    ("MRMInvalidPageSizeError", 102, "Failed to set page size."),
    ("MRMInvalidHeaderSizeError", 103, "Failed to set header size."),
    ("MRMSetHeaderError", 104, "Failed to set header."),
    ("MRMWriteDatasetError", 105, "Failed to write dataset."),
    ("MRMCommitError", 107, "Failed to commit."),
    ("MRMLaunchError", 108, "Failed to launch."),
    ("MRMFinishError", 109, "Failed to finish."),
    ("MRMCloseError", 110, "Failed to close."),
    ("MRMAddSchemaError", 111, "Failed to add schema."),
    ("MRMAddIndexError", 112, "Failed to add index field."),
    ("MRMBuildSchemaError", 113, "Failed to build schema."),
    ("MRMGetMetaError", 114, "Failed to get meta info."),
    ("MRMIndexGeneratorError", 115, "Failed to create index generator."),
    ("MRMGenerateIndexError", 116, "Failed to generate index."),
    ("MRMInitSegmentError", 117, "Failed to initialize segment."),
    ("MRMFetchCandidateFieldsError", 118, "Failed to fetch candidate category fields."),
    ("MRMReadCategoryInfoError", 119, "Failed to read category information."),
    ("MRMFetchDataError", 120, "Failed to fetch data by category."),
):
    _error(_name, _number, _text)
for _name, _number, _text in (
    ("MRMInvalidSchemaError", 200, "Schema format is error. Detail: {error_detail}"),
    ("MRMValidateDataError", 201, "Raw data do not match the schema. Detail: {error_detail}"),
    ("MRMDefineIndexError", 202, "Failed to define index field. Detail: {error_detail}"),
    ("MRMDefineBlobError", 203, "Failed to define blob field. Detail: {error_detail}"),
    ("MRMUnsupportedSchemaError", 204, "Schema is not supported. Detail: {error_detail}"),
    ("MRMDefineCategoryError", 205, "Failed to define category field. Detail: {error_detail}"),
):
    _error(_name, _number, _text, "error_detail")

# SPDX-License-Identifier: Apache-2.0
"""Reading of MindRecord files by the values of a field, page by page."""

import json

from mindspore.mindrecord.common.exceptions import MRMDefineCategoryError, ParamTypeError, ParamValueError
from mindspore.mindrecord.config import ReadProtection
from mindspore.mindrecord.shardutils import check_consumers, check_input_files

__all__ = ["MindPage"]


class MindPage:
    """Reads the rows that have a certain value in a field, a page at a time.

    Args:
        file_name (Union[str, list[str]]): One file of a set, which stands for all its files, or a
            list of files.
        num_consumer (int, optional): Number of reader threads, 1 to the number of processor threads.
            Default: ``4`` .

    Raises:
        ParamValueError: `file_name` or `num_consumer` cannot be used.
        RuntimeError: A file is missing or is not a MindRecord file.

    Examples:
        >>> from mindspore.mindrecord import FileWriter, MindPage
        >>> writer = FileWriter("page_example.mindrecord", overwrite=True)
        >>> _ = writer.add_schema({"label": {"type": "int32"}, "data": {"type": "bytes"}})
        >>> _ = writer.write_raw_data([{"label": i % 2, "data": bytes([i])} for i in range(6)])
        >>> _ = writer.commit()
        >>> page = MindPage("page_example.mindrecord")
        >>> page.category_field = "label"
        >>> print(page.read_category_info())
        {"categories":[{"count":3,"id":0,"name":"0"},{"count":3,"id":1,"name":"1"}],"key":"label_0"}
        >>> print(page.read_at_page_by_name("1", 0, 2))
        [{'data': b'\\x01', 'label': 1}, {'data': b'\\x03', 'label': 1}]
    """

    def __init__(self, file_name, num_consumer=4):
        check_input_files(file_name)
        check_consumers(num_consumer)
        files = file_name if isinstance(file_name, list) else [file_name]
        self._protection = ReadProtection(files)
        self._reader = self._protection.open_reader(file_name)
        self._candidates = list(self._reader.index_fields)
        self._field = None
        self._categories = None

    @property
    def candidate_fields(self):
        """Fields that rows can be found by.

        Returns:
            list[str], the index fields.
        """
        return list(self._candidates)

    def get_category_fields(self):
        """The same as `candidate_fields` , by its old name."""
        return self.candidate_fields

    @property
    def category_field(self):
        """The field that rows are found by; one of `candidate_fields` .

        Raises:
            ParamTypeError: It is set to something that is not a string.
            MRMDefineCategoryError: It is set to a field that rows cannot be found by.
        """
        return self._field

    @category_field.setter
    def category_field(self, category_field):
        if not isinstance(category_field, str) or not category_field:
            raise ParamTypeError("category_field", "str")
        if category_field not in self._candidates:
            raise MRMDefineCategoryError(f"Field '{category_field}' is not a candidate category field.")
        self._field = category_field
        self._categories = self._reader.category_rows(category_field)

    def set_category_field(self, category_field: str):
        """Sets `category_field` , by its old name."""
        self.category_field = category_field
        return 0

    def read_category_info(self):
        """Tells which values the field has, and how often.

        Returns:
            str, JSON with the id, name and count of every value.
        """
        categories = [
            {"count": len(rows), "id": number, "name": name}
            for number, (name, rows) in enumerate(self._chosen())
        ]
        return json.dumps(
            {"categories": categories, "key": f"{self._field}_0"}, separators=(",", ":"), ensure_ascii=False
        )

    def read_at_page_by_id(self, category_id, page, num_row):
        """Reads rows of the value with this id.

        Args:
            category_id (int): As told by :func:`read_category_info` .
            page (int): Number of the page, from 0 on.
            num_row (int): Rows of a page.

        Returns:
            list[dict], rows as :class:`FileReader` gives them.

        Raises:
            ParamValueError: An argument is of the wrong type or negative.
            RuntimeError: There is no such id or no such page.
        """
        if not isinstance(category_id, int) or category_id < 0:
            raise ParamValueError("Category id should be int and greater than or equal to 0.")
        _check_page(page, num_row)
        categories = self._chosen()
        if category_id >= len(categories):
            raise RuntimeError(
                f"Invalid data, category_id: {category_id} must be in the range [0, {len(categories)}]."
            )
        return self._page(categories[category_id][1], page, num_row)

    def read_at_page_by_name(self, category_name, page, num_row):
        """Reads rows of this value.

        Args:
            category_name (str): The value, as text.
            page (int): Number of the page, from 0 on.
            num_row (int): Rows of a page.

        Returns:
            list[dict], rows as :class:`FileReader` gives them.

        Raises:
            ParamValueError: An argument is of the wrong type or negative.
            RuntimeError: There is no such value or no such page.
        """
        if not isinstance(category_name, str):
            raise ParamValueError("Category name should be str.")
        _check_page(page, num_row)
        for name, rows in self._chosen():
            if name == category_name:
                return self._page(rows, page, num_row)
        raise RuntimeError(f"Invalid data, category_name: {category_name} could not found.")

    def _chosen(self):
        if self._categories is None:
            raise MRMDefineCategoryError("The property 'category_field' is not set.")
        return self._categories

    def _page(self, rows, page, num_row):
        part = rows[page * num_row : (page + 1) * num_row]
        if not part:
            pages = -(-len(rows) // num_row)
            raise RuntimeError(f"Invalid data, page: {page} must be in the range [0, {pages - 1}].")
        return [self._reader.read(row) for row in part]


def _check_page(page, num_row):
    if not isinstance(page, int) or page < 0:
        raise ParamValueError("Page should be int and greater than or equal to 0.")
    if not isinstance(num_row, int) or num_row <= 0:
        raise ParamValueError("num_row should be int and greater than 0.")

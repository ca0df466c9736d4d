/** The names and limits of forms on pages, for everyone who sends or receives their messages. */

/** The name of a form: in the URL, in `data-quire-form` and in `PageForms.submit`. */
export const FORM_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** A field that people do not see. Programs that fill in everything do: such a message is dropped. */
export const HONEYPOT_FIELD = '_gotcha';
/** The field that says where the browser goes after a form was sent. */
export const NEXT_FIELD = '_next';

/** Fields of one message. */
export const MAX_FORM_FIELDS = 50;
export const MAX_FORM_FIELD_NAME = 100;
/** Values of one message: a field that occurs several times has several. */
export const MAX_FORM_VALUES = 200;
/** Characters of one value. */
export const MAX_FORM_VALUE = 20_000;
/** Bytes of all fields of a message. */
export const MAX_FORM_TEXT_BYTES = 100 * 1024;
export const MAX_FORM_FILES = 5;
export const MAX_FORM_FILE_BYTES = 5 * 1024 * 1024;
/** Bytes of all files of a message. */
export const MAX_FORM_FILES_BYTES = 10 * 1024 * 1024;

/** Forms of a page that only exist because someone sent something. */
export const MAX_FORMS = 200;
/** New forms that an IP address can add to a page each day. */
export const MAX_NEW_FORMS = 20;
/** Messages that a page keeps, and their bytes with all files: what strangers can use of its owner's quota. */
export const MAX_FORM_MESSAGES = 10_000;
export const MAX_INBOX_BYTES = 200 * 1024 * 1024;
/** An inbox with more bytes takes no more files, so that a few strangers cannot keep out text messages. */
export const MAX_INBOX_BYTES_FOR_FILES = 150 * 1024 * 1024;

/** The tables of forms on pages. */

/** A form that has messages, and how many, counted in the transactions that change them. */
export interface PageFormsTable {
  page_id: number;
  name: string;
  messages: number;
  unread: number;
  /** The bytes of all messages, with their files. */
  bytes: number;
  last_message_at: number;
}

/** The form settings of a page. Without a row, everything has its default. */
export interface FormSettingsTable {
  page_id: number;
  /** 1 if the owner gets mail about new messages, which is the default. */
  notices: number;
}

export interface FormMessagesTable {
  /** The id begins with the time, so that messages sort by it. */
  id: string;
  page_id: number;
  form: string;
  is_read: number;
  /** The bytes of the fields and all files. */
  bytes: number;
  created_at: number;
}

/** What a message says. */
export interface FormTextsTable {
  message_id: string;
  /** JSON: the fields by name, each a text or a list of texts. */
  fields: string;
}

export interface FormFilesTable {
  id: string;
  page_id: number;
  message_id: string;
  field: string;
  name: string;
  content_type: string;
  size: number;
}

import { toTimestamp } from '../../lib/timestamp.ts';
import { parseFields } from './fields.ts';
import type { MessageWithFiles } from './inbox.ts';
import type { FormRow } from './store.ts';

/** Rows as the wire shapes of `contract/forms/messages.ts`. */

export const toForm = (row: FormRow) => ({
  name: row.name,
  messages: Number(row.messages),
  unread: Number(row.unread),
  bytes: Number(row.bytes),
  lastMessageAt: toTimestamp(row.last_message_at),
});

export const toMessage = (row: MessageWithFiles) => ({
  id: row.id,
  form: row.form,
  fields: parseFields(row),
  files: row.files.map(({ id, field, name, size, content_type }) => ({
    id,
    field,
    name,
    size,
    contentType: content_type,
  })),
  isRead: row.is_read === 1,
  createdAt: toTimestamp(row.created_at),
});

/** What a message says: the fields by name. A field that was sent several times has a list. */
export type Fields = Record<string, string | string[]>;

export const parseFields = ({ fields }: { fields: string }) => JSON.parse(fields) as Fields;

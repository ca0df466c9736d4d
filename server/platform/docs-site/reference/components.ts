import { z } from 'zod';
import type { Schema } from './json-schema.ts';

const DEFINITION = '#/$defs/';
const COMPONENT = '#/components/schemas/';

/** The schemas that a document's operations share. What refers to itself can only stand here. */
export class Components {
  readonly schemas: Record<string, Schema> = {};
  private unnamed = 0;

  /** A zod schema for use inside the document: its definitions move here. */
  add(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const { $defs = {}, ...rest } = jsonSchema(schema, io);
    const names = new Map(
      Object.entries($defs).map(([name, definition]) => [name, this.nameFor(name, definition)]),
    );
    for (const [name, definition] of Object.entries($defs)) {
      this.schemas[names.get(name) ?? name] = withReferences(definition, names);
    }
    return withReferences(rest, names);
  }

  /** The definition's own name, unless something else has it: what is sent may differ from what comes back. */
  private nameFor(name: string, definition: Schema): string {
    if (name.startsWith('__')) return `Unnamed${++this.unnamed}`;
    const existing = this.schemas[name];
    return !existing || sameSchema(existing, definition) ? name : `${name}Input`;
  }
}

/** A zod schema as JSON Schema: of what is sent, or of what comes back. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // In a path or query everything is text with a pattern; the description says what it stands for.
    override({ jsonSchema: written }) {
      if (written.type === 'integer' || written.type === 'boolean') delete written.pattern;
    },
  });
  return rest as Schema;
}

function withReferences(schema: Schema, names: Map<string, string>): Schema {
  const text = JSON.stringify(schema, (key, value) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(DEFINITION)
      ? COMPONENT + (names.get(value.slice(DEFINITION.length)) ?? '')
      : value,
  );
  return JSON.parse(text) as Schema;
}

/** Whether two schemas are the same but for where their references lead. */
function sameSchema(one: Schema, other: Schema): boolean {
  const plain = (schema: Schema) => JSON.stringify(schema).replaceAll(DEFINITION, COMPONENT);
  return plain(one) === plain(other);
}

import { z } from 'zod';
import type { Schema } from './json-schema.ts';

const DEFINITION = '#/$defs/';
const COMPONENT = '#/components/schemas/';

/** The schemas that operations share. Recursive schemas can only be here. */
export class Components {
  readonly schemas: Record<string, Schema> = {};
  private unnamed = 0;

  /** Adds a zod schema to the document and moves its definitions here. */
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

  /** The name of the definition, or another one if a different schema has it: requests and responses can differ. */
  private nameFor(name: string, definition: Schema): string {
    if (name.startsWith('__')) return `Unnamed${++this.unnamed}`;
    const existing = this.schemas[name];
    return !existing || sameSchema(existing, definition) ? name : `${name}Input`;
  }
}

/** A zod schema as JSON Schema, for a request or a response. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // In paths and queries everything is text with a pattern. Show the type that it stands for.
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

/** True if two schemas are equal, apart from the targets of their references. */
function sameSchema(one: Schema, other: Schema): boolean {
  const plain = (schema: Schema) => JSON.stringify(schema).replaceAll(DEFINITION, COMPONENT);
  return plain(one) === plain(other);
}

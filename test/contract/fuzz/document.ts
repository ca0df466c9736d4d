import type { Schema } from '../../../server/sites/docs-site/index.ts';

/** The part of OpenAPI that requests and checks are made from. */

export interface Media {
  schema: Schema;
  'x-event-data'?: Schema;
}

interface ResponseObject {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId: string;
  method: string;
  path: string;
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, ResponseObject>;
  security: Record<string, string[]>[];
}

export interface Document {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, ResponseObject> };
}

export function listOperations(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** Resolves a reference. */
export function follow<Part extends { $ref?: string }>(document: Document, part: Part): Part {
  if (!part.$ref) return part;
  const keys = part.$ref.slice('#/'.length).split('/');
  const found = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document);
  return follow(document, found as Part);
}

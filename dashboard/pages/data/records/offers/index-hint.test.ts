import { expect, test } from 'bun:test';
import type { CollectionSchema } from '../../api.ts';
import { findUnindexed } from './index-hint.ts';

const SCHEMA: CollectionSchema = {
  fields: {
    status: { type: 'string' },
    price: { type: 'number' },
    tags: { type: 'array' },
    author: { type: 'object', properties: { city: { type: 'string' } } },
  },
  indexes: ['price'],
};

test.each([
  ['data.status', undefined, 'status'],
  ['data.price', undefined, undefined],
  ['data.price', '{"author.city":"Bern"}', 'author.city'],
  ['created_at', '{"status":{"ne":"open"}}', 'status'],
  ['created_at', '{"tags":{"contains":"a"}}', undefined],
  ['created_at', '{"and":[{"status":"open"}]}', 'status'],
  ['created_at', '{"or":[{"status":"open"}]}', undefined],
  ['created_at', '{"status":{"contains":"a"}}', undefined],
  ['created_at', '{"status":{"exists":true}}', undefined],
  ['created_at', '{"status":{"contains":"a","gte":"a"}}', 'status'],
  ['created_at', '{"status":{"contains":"a"},"author.city":{"in":["Bern"]}}', 'author.city'],
  ['created_at', JSON.stringify({ status: { gt: 'x'.repeat(301) } }), undefined],
  ['created_at', undefined, undefined],
])('finds the field without an index for orderBy %p and where %p', (orderBy, where, field) => {
  expect(findUnindexed(SCHEMA, { orderBy, where })).toBe(field);
  expect(findUnindexed(null, { orderBy, where })).toBeUndefined();
});

import { Section } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';

export function TeamScreen({ page }: { page: PageDetail }) {
  return <Section title={`Team of ${page.name}`}>{null}</Section>;
}

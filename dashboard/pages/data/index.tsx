import { Section } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';

export function DataScreen({ page }: { page: PageDetail }) {
  return <Section title={`Data of ${page.name}`}>{null}</Section>;
}

import { Section } from '../ui/index.ts';
import type { PageDetail } from './api.ts';

export function AgentSpecScreen({ page }: { page: PageDetail }) {
  return <Section title={`Agent spec of ${page.name}`}>{null}</Section>;
}

import { Badge, formatNumber } from '../../ui/index.ts';

/** How many messages are not read yet; nothing if there are none. */
export function Unread({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Badge kind="warn">
      {formatNumber(count)}
      <span class="for-readers"> unread</span>
    </Badge>
  );
}

import { rich } from '../../texts/index.ts';
import { Badge } from '../../ui/index.ts';

/** How many messages are not read yet; nothing if there are none. */
export function Unread({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Badge kind="warn">
      {rich(
        '{count}<span> unread</span>',
        { span: (text) => <span class="for-readers">{text}</span> },
        { count },
      )}
    </Badge>
  );
}

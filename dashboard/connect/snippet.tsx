import { CopyButton } from '../ui/index.ts';

/** A text to paste somewhere else. */
export function Snippet({ text, label, isMain = false }: { text: string; label: string; isMain?: boolean }) {
  return (
    <div class={`connect-snippet ${isMain ? 'main' : ''}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}

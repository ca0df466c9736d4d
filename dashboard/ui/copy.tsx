import { useEffect, useState } from 'preact/hooks';
import { language, t } from '../texts/index.ts';
import { IconButton } from './controls.tsx';
import { say } from './overlays/toasts.tsx';

const SHOWN_MS = 2_000;

/** A text with a button that copies it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

/** A button that copies a text: `label` says what it is. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(setCopied, SHOWN_MS, false);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    say(t('{label} copied.', { label }));
  };
  return (
    <IconButton
      icon={isCopied ? 'check' : 'copy'}
      label={t('Copy {label}', { label: language === 'en' ? label.toLowerCase() : label })}
      onClick={copy}
    />
  );
}

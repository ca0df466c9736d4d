import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { say } from './toasts.tsx';

interface ButtonProps {
  children: ComponentChildren;
  onClick?: () => unknown;
  kind?: 'primary' | 'quiet' | 'danger' | 'bare';
  disabled?: boolean;
  /** The name for those who do not see the icon. */
  label?: string;
  title?: string;
  class?: string;
}

/** A button that shows when its work is under way, cannot be pressed twice, and tells when it failed. */
export function Button({ children, onClick, kind = 'primary', ...rest }: ButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    const work = onClick?.();
    if (!(work instanceof Promise)) return;
    setBusy(true);
    try {
      await work;
    } catch (error) {
      say((error as Error).message, 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class={`button ${kind} ${rest.class ?? ''}`}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy}
      title={rest.title}
      {...(rest.label && { 'aria-label': rest.label })}
      {...(onClick && { onClick: press })}
    >
      {children}
    </button>
  );
}

/** A form that does its work by script, shows that it is under way, and what came of it. */
export function Form({
  onSubmit,
  submit,
  children,
  disabled,
  onCancel,
  aside,
}: {
  onSubmit: () => Promise<unknown>;
  /** The words on the button. */
  submit: string;
  children: ComponentChildren;
  disabled?: boolean;
  /** Gives it a button to leave things as they are. */
  onCancel?: () => void;
  /** Beside the button. */
  aside?: ComponentChildren;
}) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await onSubmit();
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={send}>
      {children}
      {failure && (
        <div class="notice bad" role="alert">
          <p>{failure.message}</p>
        </div>
      )}
      <div class="actions">
        <button type="submit" class="button primary" disabled={disabled || isBusy} aria-busy={isBusy}>
          {submit}
        </button>
        {onCancel && (
          <Button kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
        {aside}
      </div>
    </form>
  );
}

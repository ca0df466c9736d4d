import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { say } from './toasts.tsx';

interface ButtonProps {
  children: ComponentChildren;
  onClick?: () => unknown;
  kind?: 'primary' | 'quiet' | 'danger' | 'bare';
  disabled?: boolean;
  /** The name for screen readers. */
  label?: string;
  title?: string;
  class?: string;
}

/** A button that is disabled while its action runs, and shows a message if the action fails. */
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

/** A form that is disabled while it is submitted, and shows the error if that fails. */
export function Form({
  onSubmit,
  submit,
  children,
  disabled,
  onCancel,
  aside,
}: {
  onSubmit: () => Promise<unknown>;
  /** The label of the submit button. */
  submit: string;
  children: ComponentChildren;
  disabled?: boolean;
  /** Adds a Cancel button. */
  onCancel?: () => void;
  /** Shown next to the buttons. */
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

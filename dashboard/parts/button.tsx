import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

export type ButtonKind = 'primary' | 'secondary' | 'danger' | 'quiet';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style' | 'isPending'> {
  readonly kind?: ButtonKind;
  readonly children: ReactNode;
  /** What it asked for is on its way: it stays where it is, keeps the focus and does nothing. */
  readonly isPending?: boolean;
}

const NOTHING = (): void => {};

export function Button({ kind = 'secondary', children, isPending = false, onPress, ...props }: ButtonProps) {
  // The widgets' own pending state names a part that is not there.
  const press = isPending ? NOTHING : onPress;
  return (
    <AriaButton
      {...props}
      {...(press !== undefined && { onPress: press })}
      className={`button ${kind}${isPending ? ' pending' : ''}`}
    >
      {children}
    </AriaButton>
  );
}

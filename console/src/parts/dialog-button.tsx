import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';

type Props = {
  text: string;
  /** A button with an icon is the main one of its view. */
  icon?: IconName;
  /** Whether the action takes something away. */
  isRed?: boolean;
  dialog: (onClose: () => void) => ReactNode;
};

export function DialogButton({ text, icon, isRed = false, dialog }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant={icon ? 'filled' : 'default'}
        {...(icon && { leftSection: <Icon name={icon} /> })}
        {...(isRed && { c: 'var(--mantine-color-error)' })}
        onClick={() => setOpen(true)}
      >
        {text}
      </Button>
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}

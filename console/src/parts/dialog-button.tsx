import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';

type Props = {
  text: string;
  /** A button with an icon is the main one of its view. */
  icon?: IconName;
  dialog: (onClose: () => void) => ReactNode;
};

export function DialogButton({ text, icon, dialog }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant={icon ? 'filled' : 'default'}
        {...(icon && { leftSection: <Icon name={icon} /> })}
        onClick={() => setOpen(true)}
      >
        {text}
      </Button>
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}

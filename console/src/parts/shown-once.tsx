import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from './code-block.tsx';
import { Icon } from './icon.tsx';
import { useTexts } from './texts.tsx';

type Props = {
  title: string;
  secret: string;
  /** How the secret is used. */
  children?: ReactNode;
  onClose: () => void;
};

/** A new secret, which the service never shows again. Only the button closes the dialog. */
export function ShownOnce({ title, secret, children, onClose }: Props) {
  const { t } = useTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="orange" icon={<Icon name="warning" />} title={t('once.title')}>
          <Text size="sm">{t('once.about')}</Text>
        </Alert>
        <CodeBlock code={secret} name={t('once.secret')} />
        {children}
        <Group justify="end">
          <Button onClick={onClose}>{t('once.stored')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

import { Alert, Button, CopyButton, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { serviceName } from './brand.tsx';
import { CodeBlock } from './code-block.tsx';
import { Icon } from './icon.tsx';
import { saveFile } from './save-file.ts';
import { useTexts } from './texts.tsx';

type Props = {
  title: string;
  secret: string;
  /** The name of a file, for a secret that is kept on paper or in a file, such as codes. */
  fileName?: string;
  /** How the secret is used. */
  children?: ReactNode;
  onClose: () => void;
};

/** A new secret, which the service never shows again. Only the button closes the dialog. */
export function ShownOnce({ title, secret, fileName, children, onClose }: Props) {
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
        <div className="console-print">
          {fileName !== undefined && (
            <Text fw={600} className="console-print-only">
              {`${serviceName}: ${title}`}
            </Text>
          )}
          <CodeBlock code={secret} name={t('once.secret')} />
        </div>
        {fileName !== undefined && <Keep text={secret} fileName={fileName} />}
        {children}
        <Group justify="end">
          <Button onClick={onClose}>{t('once.stored')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The ways to keep a text: on the clipboard, in a file, on paper. */
function Keep({ text, fileName }: { text: string; fileName: string }) {
  const { t } = useTexts();
  const save = () => saveFile(new Blob([`${text}\n`], { type: 'text/plain' }), fileName);
  return (
    <Group gap="xs">
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            leftSection={<Icon name={copied ? 'check' : 'copy'} />}
            onClick={copy}
          >
            {t(copied ? 'copy.done' : 'copy.copy')}
          </Button>
        )}
      </CopyButton>
      <Button variant="default" leftSection={<Icon name="download" />} onClick={save}>
        {t('once.download')}
      </Button>
      <Button variant="default" onClick={() => print()}>
        {t('once.print')}
      </Button>
    </Group>
  );
}

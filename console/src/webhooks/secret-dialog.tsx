import { Anchor, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { Copy } from '../parts/copy.tsx';
import { pageAt } from '../parts/place.ts';
import { useTexts } from '../parts/texts.tsx';

/** Shows a signing secret, once. Only its button closes it, since nothing shows the secret again. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('webhooks.secret')}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text size="sm">{t('webhooks.secretAbout')}</Text>
        <Group gap="xs" wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{secret}</Code>
          <Copy text={secret} what={t('webhooks.secret')} />
        </Group>
        <Anchor size="sm" href={pageAt('docs/guides/webhooks/')} target="_blank">
          {t('webhooks.verifying')}
        </Anchor>
        <Group justify="end">
          <Button onClick={onClose}>{t('webhooks.secretKept')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

import { Anchor, Text } from '@mantine/core';
import { pageAt } from '../parts/place.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useTexts } from '../parts/texts.tsx';

/** A signing secret, and the guide to its use. */
export function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <ShownOnce title={t('webhooks.secret')} secret={secret} onClose={onClose}>
      <Text size="sm">
        {t('webhooks.secretAbout')}{' '}
        <Anchor size="sm" href={pageAt('docs/guides/webhooks/')} target="_blank">
          {t('webhooks.verifying')}
        </Anchor>
      </Text>
    </ShownOnce>
  );
}

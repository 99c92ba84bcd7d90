import { Alert, Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Icon } from '../parts/icon.tsx';
import { signInAddress } from '../parts/place.ts';
import { useSessionEnded } from '../parts/session-state.ts';
import { useTexts } from '../parts/texts.tsx';

/**
 * Says that the session has ended. The view stays, with everything that was typed: the sign-in is
 * in another tab, and this one goes on as soon as the user comes back to it.
 */
export function EndedNotice() {
  const { t } = useTexts();
  const queries = useQueryClient();
  if (!useSessionEnded()) return undefined;
  return (
    <Alert role="alert" color="orange" icon={<Icon name="key" />} title={t('ended.title')} mb="lg">
      <Text size="sm">{t('ended.about')}</Text>
      <Group mt="sm">
        <Button
          size="compact-sm"
          component="a"
          href={signInAddress()}
          target="_blank"
          rel="noopener"
        >
          {t('failure.signIn')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => void queries.invalidateQueries()}
        >
          {t('ended.goOn')}
        </Button>
      </Group>
    </Alert>
  );
}

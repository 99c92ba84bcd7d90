import { Alert, Button, Code, Group, List, Text } from '@mantine/core';
import { describeFailure } from './failure.ts';
import { Icon } from './icon.tsx';
import { askForProof, lackOf } from './proof.ts';
import { useTexts } from './texts.tsx';

/** Says what went wrong, what to do, and how to find the call in the log. */
export function FailureNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t, locale } = useTexts();
  if (error === null || error === undefined) return undefined;
  const { title, next, details, waitSeconds, requestId, isTemporary } = describeFailure(error);
  const lack = lackOf(error);
  const wait = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'long',
  });
  return (
    <Alert role="alert" color="red" icon={<Icon name="warning" />} title={t(title)}>
      <Text size="sm">{t(next)}</Text>
      {details.length > 0 && (
        <List size="sm" mt="xs" lang="en">
          {details.map((detail) => (
            <List.Item key={detail}>{detail}</List.Item>
          ))}
        </List>
      )}
      {waitSeconds > 0 && (
        <Text size="sm" mt="xs">
          {t('failure.wait', { time: wait.format(waitSeconds) })}
        </Text>
      )}
      {requestId !== '' && (
        <Text size="xs" mt="xs">
          {t('failure.request')} <Code>{requestId}</Code>
        </Text>
      )}
      {lack && (
        <Group mt="sm">
          <Button size="compact-sm" variant="default" onClick={() => void askForProof(lack)}>
            {t('proof.title')}
          </Button>
        </Group>
      )}
      {onRetry && isTemporary && (
        <Group mt="sm">
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            {t('failure.retry')}
          </Button>
        </Group>
      )}
    </Alert>
  );
}

import { Alert, Button, Group, List, Text } from '@mantine/core';
import { Id } from './copy.tsx';
import { describeFailure, detailsIn } from './failure.ts';
import { Icon } from './icon.tsx';
import { signInAgainAddress } from './place.ts';
import { askForProof, unmetRequirementOf } from './proof.ts';
import { useTexts } from './texts.tsx';
import { waitingTime } from './times.ts';

/** Says what went wrong, what to do, and how to find the call in the log. */
export function FailureNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t, locale, textOfReason } = useTexts();
  if (error === null || error === undefined) return undefined;
  const failure = describeFailure(error);
  const { title, next, waitSeconds, requestId, ...can } = failure;
  const { texts, lang } = detailsIn(failure, { locale, textOfReason });
  const requirement = unmetRequirementOf(error);
  return (
    <Alert role="alert" color="red" icon={<Icon name="warning" />} title={t(title)}>
      <Text size="sm">{t(next)}</Text>
      {texts.length > 0 && (
        <List size="sm" mt="xs" lang={lang}>
          {texts.map((text) => (
            <List.Item key={text}>{text}</List.Item>
          ))}
        </List>
      )}
      {waitSeconds > 0 && (
        <Text size="sm" mt="xs">
          {t('failure.wait', { time: waitingTime(waitSeconds, locale) })}
        </Text>
      )}
      {requestId !== '' && (
        <Text size="xs" mt="xs" component="div">
          {t('failure.request')} <Id id={requestId} />
        </Text>
      )}
      {requirement && (
        <Group mt="sm">
          <Button size="compact-sm" variant="default" onClick={() => void askForProof(requirement)}>
            {t('proof.title')}
          </Button>
        </Group>
      )}
      {can.needsSignIn && (
        <Group mt="sm">
          <Button
            size="compact-sm"
            component="a"
            href={signInAgainAddress()}
            target="_blank"
            rel="noopener"
          >
            {t('failure.signIn')}
          </Button>
        </Group>
      )}
      {onRetry && can.isTemporary && (
        <Group mt="sm">
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            {t('failure.retry')}
          </Button>
        </Group>
      )}
    </Alert>
  );
}

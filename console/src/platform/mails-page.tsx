import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useCall, useChange } from '../parts/calls.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useSearchText } from './search.ts';
import { SearchField } from './search-field.tsx';

/** Whether an address gets mail, and why not. */
export function MailsPage() {
  const { t } = useTexts();
  const { query } = useSearchText();
  const suppression = useCall('Mail_GetSuppression', { Email: query }, { enabled: query !== '' });
  const isMissing = suppression.error?.Code === 'not_found';
  return (
    <Page title={t('platform.mails')} description={t('platform.mailsAbout')}>
      <SearchField label={t('platform.mailQuery')} placeholder="ada@example.com" />
      {query === '' && (
        <Empty icon="mail" title={t('platform.mailAsk')} description={t('platform.mailAskAbout')} />
      )}
      {isMissing && (
        <Alert
          color="teal"
          icon={<Icon name="check" />}
          title={t('platform.mailOpen', { email: query })}
        />
      )}
      {!isMissing && (
        <FailureNotice error={suppression.error} onRetry={() => void suppression.refetch()} />
      )}
      {suppression.data && !isMissing && (
        <Suppressed email={query} {...suppression.data.Suppression} />
      )}
      <SameByApi
        operation="Mail_GetSuppression"
        request={{ Email: query === '' ? 'ada@example.com' : query }}
      />
    </Page>
  );
}

type Props = {
  email: string;
  StatusCode: number;
  CreatedAt?: string | undefined;
  ExpiresAt?: string | undefined;
};

function Suppressed({ email, StatusCode, CreatedAt, ExpiresAt }: Props) {
  const { t } = useTexts();
  const notify = useNotify();
  const { may } = usePlatformPermissions();
  const change = useChange('Mail_DeleteSuppression', { stale: ['Mail_GetSuppression'] });
  const onSuccess = () => notify(t('platform.mailLifted', { email }));
  return (
    <Alert
      color="orange"
      icon={<Icon name="warning" />}
      title={t('platform.mailSuppressed', { email })}
    >
      <Stack gap="xs">
        <Text size="sm">
          {t('platform.mailAnswer')} <Code>{StatusCode}</Code>
        </Text>
        <Text size="sm">
          {t('platform.mailSince')} <Time at={CreatedAt} />
        </Text>
        <Text size="sm">
          {t('platform.mailUntil')} <Time at={ExpiresAt} />
        </Text>
        <FailureNotice error={change.error} />
        {may('iam.platform.mail.write') && (
          <Group>
            <Button
              size="compact-md"
              loading={change.isPending}
              onClick={() => change.mutate({ Email: email }, { onSuccess })}
            >
              {t('platform.mailLift')}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../parts/calls.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useNotify } from '../parts/notify.ts';
import { forgetOperatorToken, operatorToken } from '../parts/operator-token.ts';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Frame } from '../shell/frame.tsx';
import { useAccount } from '../shell/session.tsx';

/** Where the link of the first start leads: the person who confirms becomes the first operator. */
export function OperatorPage() {
  const { t } = useTexts();
  const { isOperator, isPending, error } = usePlatformPermissions();
  const [token] = useState(operatorToken);
  return (
    <Frame items={[{ to: '/console', text: t('shell.start'), icon: 'home' }]}>
      <Page title={t('operator.title')} description={t('operator.about')}>
        {isPending && <Skeleton height={160} />}
        {error && <FailureNotice error={error} />}
        {!isPending && !error && (isOperator ? <Already /> : <Claim token={token} />)}
      </Page>
    </Frame>
  );
}

function Already() {
  const { t } = useTexts();
  return (
    <Empty icon="check" title={t('operator.already')} description={t('operator.alreadyAbout')}>
      <Button component={Link} to="/console/platform">
        {t('shell.platform')}
      </Button>
    </Empty>
  );
}

function Claim({ token }: { token: string }) {
  const { t } = useTexts();
  const { User } = useAccount();
  const notify = useNotify();
  const navigate = useNavigate();
  const claim = useChange('Operators_Claim', { stale: ['Access_ListPermissions'] });
  if (token === '')
    return (
      <Empty icon="key" title={t('operator.noLink')} description={t('operator.noLinkAbout')}>
        <Button component={Link} to="/console">
          {t('shell.start')}
        </Button>
      </Empty>
    );
  const onSuccess = () => {
    forgetOperatorToken();
    notify(t('operator.done'));
    void navigate({ to: '/console/platform' });
  };
  return (
    <Paper withBorder p="lg" maw={560}>
      <Stack>
        <Text>{t('operator.who', { email: User.Email })}</Text>
        <Text size="sm" c="dimmed">
          {t('operator.recorded')}
        </Text>
        <FailureNotice error={claim.error} />
        <Group>
          <Button
            loading={claim.isPending}
            onClick={() => claim.mutate({ Token: token }, { onSuccess })}
          >
            {t('operator.claim')}
          </Button>
        </Group>
        <SameByApi operation="Operators_Claim" request={{ Token: 'bwkm_…' }} />
      </Stack>
    </Paper>
  );
}

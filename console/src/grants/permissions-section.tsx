import { Anchor, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useCall } from '../parts/calls.ts';
import { Explanation } from '../parts/explanation.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

/** The permissions of a person or a bot in the tenant, each with every reason. */
export function PermissionsSection({ subject }: { subject: string }) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const [chosen, setChosen] = useState('');
  const request = { Tenant, Subject: subject };
  const { data, error, refetch } = useCall('Access_ListPermissions', request);
  const permissions = data?.Permissions ?? [];
  return (
    <PageSection title={t('access.effective')} description={t('access.effectiveAbout')}>
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton height={80} aria-busy="true" />}
      {data && permissions.length === 0 && <Text size="sm">{t('access.noPermissions')}</Text>}
      {permissions.length > 0 && (
        <Paper withBorder p="md">
          <Group component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
            {permissions.map((permission) => (
              <li key={permission}>
                <Anchor
                  component="button"
                  type="button"
                  ff="monospace"
                  size="sm"
                  aria-pressed={permission === chosen}
                  fw={permission === chosen ? 700 : 400}
                  onClick={() => setChosen(permission === chosen ? '' : permission)}
                >
                  {permission}
                </Anchor>
              </li>
            ))}
          </Group>
        </Paper>
      )}
      {permissions.includes(chosen) && (
        <Stack gap="xs">
          <Explanation tenant={Tenant} subject={subject} permission={chosen} />
        </Stack>
      )}
      {chosen === '' && <SameByApi operation="Access_ListPermissions" request={request} />}
    </PageSection>
  );
}

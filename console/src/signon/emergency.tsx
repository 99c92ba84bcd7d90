import { Paper, Stack, Text, Title } from '@mantine/core';
import { ApiCalls } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/**
 * How owners get in while the provider is broken: with a recovery code, or by the call of a bot. Both
 * are prepared before.
 */
export function Emergency({ tenant }: { tenant: string }) {
  const { t } = useTexts();
  return (
    <Paper withBorder p="lg">
      <Stack gap="xs">
        <Title order={2} size="h4">
          {t('signon.emergency')}
        </Title>
        <RecoveryCodes tenant={tenant} />
        <Text size="sm">{t('signon.emergencyAbout')}</Text>
        <Text size="sm" c="dimmed">
          {t('signon.emergencyPrepare')}
        </Text>
        <ApiCalls
          calls={[{ operation: 'Sso_LiftRequirement', request: { Tenant: tenant, Minutes: 60 } }]}
        />
      </Stack>
    </Paper>
  );
}

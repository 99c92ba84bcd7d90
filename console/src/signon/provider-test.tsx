import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { useOwner } from '../shell/owner.ts';

const levels: Readonly<Record<string, { text: TextKey; color: string }>> = {
  ok: { text: 'signon.levelOk', color: 'teal.9' },
  warning: { text: 'signon.levelWarning', color: 'orange.9' },
  error: { text: 'signon.levelError', color: 'red.9' },
};

type Props = {
  provider: { ID: string; Active: boolean };
  /** Shown after a passed test. */
  children?: ReactNode;
};

/** Tests a provider without a sign-in, and shows each check. */
export function ProviderTest({ provider, children }: Props) {
  const { t } = useTexts();
  const test = useChange('Sso_TestProvider');
  const { scope } = useOwner();
  const request = { ...scope, ID: provider.ID };
  return (
    <Stack gap="sm">
      <Group>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate(request)}>
          {t('signon.testNow')}
        </Button>
      </Group>
      <FailureNotice error={test.error} />
      <Stack gap="xs" role="status">
        {test.data && <Text fw={600}>{t(resultOf(test.data.OK, provider.Active))}</Text>}
        {test.data?.Findings.map(({ Check, Level, Message }) => (
          <Group key={`${Check} ${Message}`} gap="sm" wrap="nowrap" align="start">
            <State color={levels[Level]?.color ?? 'gray.7'}>
              {t(levels[Level]?.text ?? 'signon.levelWarning')}
            </State>
            <Text size="sm" lang="en">
              <b>{Check}</b>: {Message}
            </Text>
          </Group>
        ))}
      </Stack>
      {test.data?.OK && <Group>{children}</Group>}
      <SameByApi operation="Sso_TestProvider" request={request} />
    </Stack>
  );
}

function resultOf(isGood: boolean, isActive: boolean): TextKey {
  if (!isGood) return 'signon.testBad';
  return isActive ? 'signon.testGood' : 'signon.testGoodInactive';
}

import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Alert, Group, List, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import type { Change } from './grant-kinds.ts';
import { SubjectName } from './subject-name.tsx';

type Plan = ResponseOf<'Access_Plan'>;

/** More people than this are counted instead of named. */
const mostNamed = 10;

/** The permissions that people and bots would gain and lose by a change. */
export function WhatIf({ change }: { change: Change }) {
  const { t } = useTexts();
  const { ID, may } = useTenant();
  const mayAsk = may('iam.grants.read');
  const request = { Tenant: ID, Changes: [change] };
  const { data, error } = useCall('Access_Plan', request, { staleTime: 0, enabled: mayAsk });
  if (!mayAsk) return undefined;
  if (error) return <FailureNotice error={error} />;
  if (!data) return <Skeleton height={60} />;
  const { Gained, Lost, Warnings } = data;
  return (
    <Stack gap="xs" role="status">
      {Gained.length + Lost.length === 0 && <Text size="sm">{t('access.noEffect')}</Text>}
      <Effect title={t('access.gains')} color="teal.9" changes={Gained} />
      <Effect title={t('access.loses')} color="red.8" changes={Lost} />
      {Warnings.length > 0 && (
        <Alert color="orange" icon={<Icon name="warning" />} lang="en">
          <List size="sm">
            {Warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  );
}

type EffectProps = { title: string; color: string; changes: Plan['Gained'] };

function Effect({ title, color, changes }: EffectProps) {
  const { t } = useTexts();
  if (changes.length === 0) return undefined;
  const bySubject = [...Map.groupBy(changes, ({ Subject: id }) => id)];
  const more = bySubject.length - mostNamed;
  return (
    <Paper withBorder p="sm">
      <Text size="sm" fw={600} mb="xs">
        {title}
      </Text>
      <Stack gap="sm">
        {bySubject.slice(0, mostNamed).map(([id, own]) => (
          <div key={id}>
            <SubjectName id={id} />
            <Group gap={4} mt={4}>
              {own.map(({ Permission, Resource }) => (
                <State key={`${Permission} ${Resource}`} color={color}>
                  {Resource === '' ? Permission : `${Permission} · ${Resource}`}
                </State>
              ))}
            </Group>
          </div>
        ))}
        {more > 0 && <Text size="sm">{t('access.andMore', { count: String(more) })}</Text>}
      </Stack>
    </Paper>
  );
}

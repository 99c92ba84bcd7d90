import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useNotify } from '../parts/notify.ts';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Added } from './added.tsx';
import { AppDialog } from './app-dialog.tsx';
import { Row, RowSkeleton, Section } from './section.tsx';

type Factor = ResponseOf<'Factors_List'>['Factors'][number];
type Props = { factors: readonly Factor[] | undefined; onAdded: () => void };

/** The user's authenticator apps. */
export function Apps({ factors, onAdded }: Props) {
  const { t } = useTexts();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Factor>();
  const apps = factors?.filter(({ Kind }) => Kind === 'totp');
  return (
    <Section
      title={t('security.apps')}
      about={t('security.appsAbout')}
      action={
        <Button variant="default" onClick={() => setAdding(true)}>
          {t('security.appAdd')}
        </Button>
      }
    >
      {!apps && <RowSkeleton />}
      {apps?.map((app) => (
        <Row key={app.ID} name={<Text fw={500}>{app.Name}</Text>} about={<Added {...app} />}>
          <RowAction
            isRed
            aria-label={t('security.removeOf', { name: app.Name })}
            onClick={() => setRemoved(app)}
          >
            {t('security.remove')}
          </RowAction>
        </Row>
      ))}
      <SameByApi operation="Factors_List" request={{}} />
      {isAdding && <AppDialog onAdded={onAdded} onClose={() => setAdding(false)} />}
      {removed && <Remove app={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
}

function Remove({ app: { ID, Name }, onClose }: { app: Factor; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const change = useChange('Factors_Remove', { stale: ['Factors_List'] });
  const onSuccess = () => {
    onClose();
    notify(t('security.removed', { name: Name }));
  };
  return (
    <Confirm
      title={t('security.removeTitle', { name: Name })}
      action={t('security.remove')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ ID }, { onSuccess })}
      onClose={onClose}
    >
      {t('security.appRemoveAbout')}
    </Confirm>
  );
}

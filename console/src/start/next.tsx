import { Button, CloseButton, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useDismissed } from './dismissed.ts';
import { type NextStep, useNextSteps } from './next-steps.ts';

/** The next steps in a tenant, as far as the user may take them and has not put them away. */
export function Next() {
  const { t } = useTexts();
  const steps = useNextSteps();
  const { isDismissed, dismiss, restore } = useDismissed();
  const visible = steps.filter(({ id }) => !isDismissed(id));
  if (steps.length === 0) return undefined;
  return (
    <Stack gap="sm" component="section" aria-label={t('overview.next')}>
      <Group justify="space-between" gap="sm">
        <Title order={2} size="h5">
          {t('overview.next')}
        </Title>
        {visible.length < steps.length && (
          <Button size="compact-sm" variant="subtle" onClick={restore}>
            {t('start.restore', { count: String(steps.length - visible.length) })}
          </Button>
        )}
      </Group>
      {visible.length > 0 && (
        <Paper withBorder component="ol" p={0} m={0} className="console-steps">
          {visible.map((step) => (
            <Line key={step.id} step={step} onDismiss={() => dismiss(step.id)} />
          ))}
        </Paper>
      )}
    </Stack>
  );
}

/** A step that is done has its name only. */
function Line({ step, onDismiss }: { step: NextStep; onDismiss: () => void }) {
  const { t } = useTexts();
  const { Slug } = useTenant();
  const { icon, title, about, to, go, isDone } = step;
  return (
    <Group component="li" gap="md" wrap="nowrap" align="start" p="md" data-step={step.id}>
      <ThemeIcon size={28} radius="xl" variant="light" color={isDone ? 'teal' : 'accent'}>
        <Icon name={isDone ? 'check' : icon} size={16} />
      </ThemeIcon>
      <Stack gap={4} flex={1} miw={0} align="start">
        <Text fw={600}>
          {t(title)}
          {isDone && (
            <Text component="span" size="sm" c="dimmed" fw={400}>
              {' '}
              · {t('start.done')}
            </Text>
          )}
        </Text>
        {!isDone && (
          <>
            <Text size="sm" c="dimmed">
              {t(about)}
            </Text>
            <Button component={Link} to={`/console/t/${Slug}/${to}`} size="compact-sm" mt={4}>
              {t(go)}
            </Button>
          </>
        )}
      </Stack>
      <CloseButton
        title={t('start.dismissOf', { step: t(title) })}
        aria-label={t('start.dismissOf', { step: t(title) })}
        onClick={onDismiss}
      />
    </Group>
  );
}

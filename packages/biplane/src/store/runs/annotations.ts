import { randomUUID } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import { changesRow } from "../change-rows.ts";
import type { SqlStore } from "../sql-store.ts";
import { storable } from "../storable.ts";
import type { AnnotationRow } from "../tables.ts";

/** What a person wrote about a rollout, or about a step of it. */
export interface Annotation {
  readonly id: string;
  readonly rollout: string;
  /** A position in the trace: 0 is before the first step. Null for the whole rollout. */
  readonly step: number | null;
  readonly verdict: "good" | "bad" | null;
  readonly text: string;
  readonly author: string;
  readonly createdAt: string;
}

/** Keeps an annotation. A rollout has at most 500, so that nobody fills the store with them. */
export async function addAnnotation(
  { db }: SqlStore,
  run: string,
  annotation: Omit<Annotation, "id" | "createdAt">,
): Promise<Annotation> {
  const { rollout, step, verdict, text, author } = annotation;
  const { count } = await db
    .selectFrom("annotations")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("run", "=", run)
    .where("rollout", "=", rollout)
    .executeTakeFirstOrThrow();
  if (count >= maxAnnotations)
    throw new BiplaneError("CAPACITY", `The rollout has ${count} annotations. Delete some before you add others.`);
  const row = {
    id: randomUUID(),
    run,
    rollout,
    step,
    verdict,
    body: storable(text),
    author: storable(author),
    created_at: Date.now(),
  };
  await db.insertInto("annotations").values(row).execute();
  return annotationFrom(row);
}

const maxAnnotations = 500;

/** The annotations of a rollout, oldest first. */
export async function listAnnotations(store: SqlStore, run: string, rollout: string): Promise<Annotation[]> {
  const rows = await annotationsOf(store, run).where("rollout", "=", rollout).execute();
  return rows.map(annotationFrom);
}

/** The annotations of a run by rollout. */
export async function annotationsByRollout(store: SqlStore, run: string): Promise<Map<string, Annotation[]>> {
  const found = new Map<string, Annotation[]>();
  for (const row of await annotationsOf(store, run).execute()) {
    const others = found.get(row.rollout);
    if (others) others.push(annotationFrom(row));
    else found.set(row.rollout, [annotationFrom(row)]);
  }
  return found;
}

function annotationsOf({ db }: SqlStore, run: string) {
  return db.selectFrom("annotations").selectAll().where("run", "=", run).orderBy("created_at").orderBy("id");
}

/** Deletes an annotation of a rollout. False if there is none. */
export async function deleteAnnotation(
  { db }: SqlStore,
  { run, rollout, id }: { readonly run: string; readonly rollout: string; readonly id: string },
): Promise<boolean> {
  const annotation = db.deleteFrom("annotations").where("id", "=", id);
  return changesRow(annotation.where("run", "=", run).where("rollout", "=", rollout));
}

function annotationFrom({ id, rollout, step, verdict, body, author, created_at }: AnnotationRow): Annotation {
  return { id, rollout, step, verdict, text: body, author, createdAt: new Date(created_at).toISOString() };
}

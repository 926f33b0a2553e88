/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What work an event is, which class an operator belongs to, and which unit runs it. The answers come from the tables in work.def and
 * class.def. Ask once per distinct (layer, lane, type, name) or (name, type, task type), never per event; one classifier may be asked by
 * any number of threads at the same time. The type decides first, the name second; nothing is guessed from durations.
 */
#ifndef ASCOPE_CORE_MODEL_CLASSIFY_H
#define ASCOPE_CORE_MODEL_CLASSIFY_H

#include "core/base/diag.h"
#include "core/base/str.h"
#include "core/model/events.h"

enum work {
#define WORK(id, key, title) WORK_##id,
#include "core/model/work.def"
	WORK_MAX
};

enum class_id {
#define CLASS(id, key, title, core) CLASS_##id,
#include "core/model/class.def"
	CLASS_MAX
};

/* SUB_<class>_<id> */
enum subtype_id {
#define CLASS_SUB(cl, id, key, title) SUB_##cl##_##id,
#include "core/model/class.def"
	SUB_MAX
};

enum core_kind {
#define CORE(id, key, title) CORE_##id,
#include "core/model/class.def"
	CORE_MAX
};

/* flags of struct work_kind */
enum {
	WORK_OF_COMM = 1,	/* belongs to a collective (a wait for a peer, a transfer, ...) */
	WORK_UNNAMED = 2,	/* a kernel task without an operator: never compute where the capture has named kernels too */
};

/*
 * `kind` is the best answer from the names alone. Where they cannot tell a part of a collective from something else (SDMA, MEMCPY_ASYNC,
 * WRITE_VALUE, NOTIFY_RECORD, collectives on AI CPU, unnamed kernels), `covered` and `alone` differ: the caller looks whether a group-level
 * collective (WORK_COMMUNICATION) covers the same time and takes `covered` or `alone`. For a COPY time alone is weak evidence: it is a part
 * of a collective when its lane also holds tasks with WORK_OF_COMM. Otherwise all three are equal: see work_is_certain().
 */
struct work_kind {
	enum work kind, covered, alone;
	unsigned flags;
};

struct op_class {
	enum class_id class;
	enum subtype_id subtype;	/* always one of `class` */
};

struct classifier;

/* Compiles the tables. NULL with the faulty rule in `d` on failure, which means a broken build. Free with classifier_free(). */
struct classifier *classifier_new(struct diag *d);
void               classifier_free(struct classifier *c);

/* lane: the thread name; type: task type of a hardware task (or "Accelerator Core" of a table row), else the event's category. */
struct work_kind classify_work(const struct classifier *c, enum layer layer, struct str lane, struct str type, struct str name);

/*
 * type: "OP Type" or "Type"; task_type: "Task Type" or "Accelerator Core", which tells collectives from operators and is the last resort.
 * Each may be empty or "N/A". For rows without names (totals by type) give the type as type and an empty name.
 */
struct op_class classify_op(const struct classifier *c, struct str name, struct str type, struct str task_type);

/*
 * The unit that runs it: from the task type where that tells, else from the class. AI_CORE does not tell: timelines (and databases with
 * KERNEL_AICORE) write it for vector and mixed kernels too, so the class decides there, and cube is the answer for an unknown class.
 */
enum core_kind classify_core(const struct classifier *c, struct str task_type, struct op_class op);

static inline bool work_is_certain(struct work_kind w)
{
	return w.covered == w.kind && w.alone == w.kind;
}

/* Texts: the key is for JSON and filters, the title for people. Values out of range give "?". */
const char *work_key(enum work w);
const char *work_title(enum work w);
const char *class_key(enum class_id c);
const char *class_title(enum class_id c);
const char *subtype_key(enum subtype_id s);
const char *subtype_title(enum subtype_id s);
enum class_id subtype_class(enum subtype_id s);
const char *core_key(enum core_kind c);
const char *core_title(enum core_kind c);

/* The other way round, for filters and options. False when there is no such key. */
bool class_find(struct str key, enum class_id *out);
bool subtype_find(enum class_id c, struct str key, enum subtype_id *out);

#endif

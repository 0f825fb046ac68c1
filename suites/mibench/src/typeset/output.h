/* SPDX-License-Identifier: Apache-2.0 */
/* Lines with every word in its place, as PostScript and as a checksum. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "typeset.h"

struct output {
    int print;         /* PostScript to standard output */
    uint64_t checksum;
    long words;
    long misfits;      /* lines that do not end where they should, though they fit */
};

void begin_document(struct output *output, const struct style *style, const struct page_style *page);
void begin_page(struct output *output, size_t number);
void set_line(struct output *output, const struct paragraph *paragraph, const struct style *style,
              const struct line *line, int32_t y);
void end_page(struct output *output);

#endif

#ifndef PLUMB_CCAIRO_SHIM_H
#define PLUMB_CCAIRO_SHIM_H

#if !defined(__linux__)
#include <string.h>
#else
// The functions are called through pointers, which are set when the library is loaded.
#define PLUMB_PRAGMA(text) _Pragma(#text)
#define PLUMB_FUNCTION(name) PLUMB_PRAGMA(redefine_extname name plumb_lazy_##name)
#include "functions.h"
#undef PLUMB_FUNCTION
#endif

// The Cairo declarations that Plumb uses. The interface has not changed since Cairo 1.0, so Cairo's
// headers are not needed to build.
typedef struct plumb_cairo cairo_t;
typedef struct plumb_cairo_surface cairo_surface_t;
typedef struct plumb_cairo_pattern cairo_pattern_t;
typedef struct plumb_cairo_font_face cairo_font_face_t;

enum {
  PLUMB_CAIRO_ARGB32 = 0,
  PLUMB_CAIRO_CLEAR = 0,
  PLUMB_CAIRO_WINDING = 0,
  PLUMB_CAIRO_EVEN_ODD = 1,
  PLUMB_CAIRO_BUTT = 0,
  PLUMB_CAIRO_ROUND = 1,
  PLUMB_CAIRO_NEAREST = 3,
};

typedef struct {
  double x_bearing, y_bearing, width, height, x_advance, y_advance;
} cairo_text_extents_t;

// Writes bytes of a picture; returns 0, or an error code.
typedef int (*cairo_write_func_t)(void *closure, const unsigned char *data, unsigned int length);

cairo_surface_t *cairo_image_surface_create(int format, int width, int height);
cairo_surface_t *cairo_image_surface_create_for_data(
    unsigned char *data, int format, int width, int height, int stride);
unsigned char *cairo_image_surface_get_data(cairo_surface_t *surface);
int cairo_image_surface_get_stride(cairo_surface_t *surface);
cairo_surface_t *cairo_svg_surface_create_for_stream(
    cairo_write_func_t write, void *closure, double width, double height);
cairo_surface_t *cairo_pdf_surface_create_for_stream(
    cairo_write_func_t write, void *closure, double width, double height);
void cairo_surface_flush(cairo_surface_t *surface);
void cairo_surface_mark_dirty(cairo_surface_t *surface);
void cairo_surface_finish(cairo_surface_t *surface);
int cairo_surface_status(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);

cairo_t *cairo_create(cairo_surface_t *target);
void cairo_destroy(cairo_t *context);
int cairo_status(cairo_t *context);
const char *cairo_status_to_string(int status);

void cairo_save(cairo_t *context);
void cairo_restore(cairo_t *context);
void cairo_push_group(cairo_t *context);
void cairo_pop_group_to_source(cairo_t *context);
void cairo_translate(cairo_t *context, double x, double y);
void cairo_scale(cairo_t *context, double x, double y);
void cairo_clip(cairo_t *context);

void cairo_new_path(cairo_t *context);
void cairo_move_to(cairo_t *context, double x, double y);
void cairo_line_to(cairo_t *context, double x, double y);
void cairo_arc(
    cairo_t *context, double x, double y, double radius, double start, double end);
void cairo_rectangle(cairo_t *context, double x, double y, double width, double height);
void cairo_close_path(cairo_t *context);

void cairo_set_source_rgba(
    cairo_t *context, double red, double green, double blue, double alpha);
void cairo_set_source_surface(cairo_t *context, cairo_surface_t *surface, double x, double y);
cairo_pattern_t *cairo_get_source(cairo_t *context);
void cairo_pattern_set_filter(cairo_pattern_t *pattern, int filter);
void cairo_set_fill_rule(cairo_t *context, int rule);
void cairo_set_line_width(cairo_t *context, double width);
void cairo_set_line_cap(cairo_t *context, int cap);
void cairo_set_line_join(cairo_t *context, int join);
void cairo_set_dash(cairo_t *context, const double *dashes, int count, double offset);
void cairo_fill(cairo_t *context);
void cairo_fill_preserve(cairo_t *context);
void cairo_stroke(cairo_t *context);
void cairo_stroke_preserve(cairo_t *context);
void cairo_set_operator(cairo_t *context, int operation);
void cairo_paint(cairo_t *context);
void cairo_paint_with_alpha(cairo_t *context, double alpha);

void cairo_set_font_face(cairo_t *context, cairo_font_face_t *face);
void cairo_set_font_size(cairo_t *context, double size);
void cairo_text_extents(cairo_t *context, const char *text, cairo_text_extents_t *extents);
void cairo_text_path(cairo_t *context, const char *text);
void cairo_show_text(cairo_t *context, const char *text);

// Loads the library if necessary. Returns NULL, or a message that describes the missing library.
#if defined(__linux__)
// The argument `face` is an `FT_Face`.
cairo_font_face_t *cairo_ft_font_face_create_for_ft_face(void *face, int flags);

const char *plumb_cairo_missing(void);

// Returns the font in a file, which is valid until the process ends; NULL if the file contains no
// font or FreeType is not installed. Call this function after the library is loaded.
cairo_font_face_t *plumb_cairo_font(const char *path);
#else
static inline const char *plumb_cairo_missing(void) { return 0; }

cairo_font_face_t *cairo_toy_font_face_create(const char *family, int slant, int weight);

// macOS finds fonts by name.
static inline cairo_font_face_t *plumb_cairo_font(const char *path) {
  return cairo_toy_font_face_create("Helvetica", 0, strstr(path, "Bold") != NULL);
}
#endif

#endif

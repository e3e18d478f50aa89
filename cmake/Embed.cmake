# kefu_embed(OUT FILE): an assembler source that holds FILE between the symbols <stem>_begin and <stem>_end.
function(kefu_embed out file)
  cmake_path(ABSOLUTE_PATH file NORMALIZE)
  cmake_path(GET file FILENAME name)
  string(MAKE_C_IDENTIFIER ${name} symbol)
  set(source ${CMAKE_BINARY_DIR}/embed/${symbol}.S)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
.section .rodata
.global kefu_embed_@symbol@_begin, kefu_embed_@symbol@_end
kefu_embed_@symbol@_begin:
.incbin "@file@"
kefu_embed_@symbol@_end:
.byte 0
.section .note.GNU-stack,"",@progbits
]])
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${file})
  set(${out} ${source} PARENT_SCOPE)
endfunction()

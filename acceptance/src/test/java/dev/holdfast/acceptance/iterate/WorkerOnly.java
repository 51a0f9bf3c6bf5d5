package dev.holdfast.acceptance.iterate;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** Makes an exception of a class that no other process can load. */
final class WorkerOnly {
  static final String CLASS_NAME = "only.in.the.worker.Failure";

  private WorkerOnly() {}

  static Throwable failure(String message) throws ReflectiveOperationException {
    ClassDesc exception = ClassDesc.of("java.lang.RuntimeException");
    MethodTypeDesc ofText = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);
    byte[] bytes =
        ClassFile.of()
            .build(
                ClassDesc.of(CLASS_NAME),
                type ->
                    type.withFlags(ClassFile.ACC_PUBLIC)
                        .withSuperclass(exception)
                        .withMethodBody(
                            ConstantDescs.INIT_NAME,
                            ofText,
                            ClassFile.ACC_PUBLIC,
                            code ->
                                code.aload(0)
                                    .aload(1)
                                    .invokespecial(exception, ConstantDescs.INIT_NAME, ofText)
                                    .return_()));
    Class<?> type = new Loader().define(bytes);
    return (Throwable) type.getConstructor(String.class).newInstance(message);
  }

  private static final class Loader extends ClassLoader {
    Loader() {
      super(WorkerOnly.class.getClassLoader());
    }

    Class<?> define(byte[] bytes) {
      return defineClass(CLASS_NAME, bytes, 0, bytes.length);
    }
  }
}
